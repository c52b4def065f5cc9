-- Three balls let go in the middle of a tank of water: the light one rises, the one as heavy as water stays, the heavy one sinks.
-- Gagneux's thesis 2022, fig. 2.5, above: 400, 1000 and 1400 kg/m^3; sizes and places are ours.
local balls = require "lib.balls"
scene {
    title = "Three balls in water",
    note = "Blue rises and floats, green hovers and drifts with the stirred water, red sinks to the floor.",
    method = "dfsph", spacing = 0.03, duration = 3, fps = 30,
}
balls {}
