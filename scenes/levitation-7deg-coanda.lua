-- A ball levitates over a blower tilted by seven degrees, held in the jet by its Coanda force. Gagneux's thesis 2022, fig. 3.12.
-- Compare with levitation-7deg-plain, which has none.
local levitation = require "lib.levitation"
local tilt = math.rad(7)
scene {
    title = "A ball over a tilted blower, with Coanda force",
    note = "Gravity is tilted to the right instead of the box. The ball hangs in the jet, off its middle.",
    method = "dfsph", spacing = 0.1, duration = 10, fps = 30, gravity = { 9.81 * math.sin(tilt), -9.81 * math.cos(tilt), 0 },
    sph = { coanda = "linear", sealed = false, fill = 0.97, divergence_tolerance = 0.0003 },
}
levitation { coanda = 0.00001 }
