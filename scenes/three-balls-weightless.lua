-- The three balls of three-balls in water without weight: it has no pressure that could lift them, so all sink.
-- Gagneux's thesis 2022, fig. 2.5, below: gravity acts on the balls alone. The lid holds what they throw up.
local balls = require "lib.balls"
scene {
    title = "Three balls in water without weight",
    note = "All three sink, the light one last; they push the water up, and nothing brings it together again.",
    method = "dfsph", spacing = 0.03, duration = 1.5, fps = 30, gravity_on = "bodies",
}
balls { lid = true }
