-- A ball over a blower at 7 degrees, held by suction alone: no Coanda force, but pressures that may pull (METHODS' better cure, after
-- Gagneux's thesis 2022, sect. 3.5.2). The box is full, so that there is no surface for suction to tear.
local levitation = require "lib.levitation"
local tilt = math.rad(7)
scene {
    title = "A ball over a tilted blower, held by suction",
    note = "Gravity is tilted to the right instead of the box. The jet bends around the ball and draws it back, by pressure alone.",
    method = "dfsph", spacing = 0.1, duration = 10, fps = 30, gravity = { 9.81 * math.sin(tilt), -9.81 * math.cos(tilt), 0 },
    sph = { divergence_tolerance = 0.0003 },
}
levitation { coanda = 0, full = true }
