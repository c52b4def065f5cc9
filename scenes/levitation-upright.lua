-- A ball levitates over an upright blower. Gagneux's thesis 2022, fig. 3.10.
-- Its Coanda force draws the jet along the ball, which holds it in the middle: pressures alone only push.
local levitation = require "lib.levitation"
scene {
    title = "A ball over a blower",
    note = "The ball drops towards the green blower until the jet carries it, and wobbles there.",
    method = "dfsph", spacing = 0.1, duration = 10, fps = 30, gravity = { 0, -9.81, 0 },
    sph = { coanda = "linear", sealed = false, fill = 0.97, divergence_tolerance = 0.0003 },
}
levitation { coanda = 0.00001 }
