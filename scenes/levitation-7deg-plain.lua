-- A ball over a blower tilted by seven degrees, without Coanda force. Gagneux's thesis 2022, sect. B.3.7.
-- Compare with levitation-7deg-coanda and levitation-suction: here pressures are cut at 0, as the papers do, and nothing else draws.
local levitation = require "lib.levitation"
local tilt = math.rad(7)
scene {
    title = "A ball over a tilted blower, without Coanda force",
    note = "Gravity is tilted to the right instead of the box. Pressures only push, and the ball has no Coanda force.",
    method = "dfsph", spacing = 0.1, duration = 10, fps = 30, gravity = { 9.81 * math.sin(tilt), -9.81 * math.cos(tilt), 0 },
    sph = { sealed = false, fill = 0.97, divergence_tolerance = 0.0003 },
}
levitation { coanda = 0 }
