-- A ball over a blower tilted by seven degrees, without Coanda force. Gagneux's thesis 2022, sect. B.3.7.
-- Compare with levitation-7deg-coanda: pressures that only push do not draw the ball back into the jet.
local levitation = require "lib.levitation"
local tilt = math.rad(7)
scene {
    title = "A ball over a tilted blower, without Coanda force",
    note = "Gravity is tilted to the right instead of the box. The ball leaves the jet on that side and falls.",
    method = "dfsph", spacing = 0.08, duration = 10, fps = 30, gravity = { 9.81 * math.sin(tilt), -9.81 * math.cos(tilt), 0 },
}
levitation { coanda = 0 }
