-- Water swirling in a glass: a rotating force field stirs it, a hollow forms in the middle, and it levels when the field is gone.
-- Müller, Charypar and Gross 2003, section 6: water in a glass, 2200 particles, an external field that rotates it.
scene {
    title = "Water swirling in a glass",
    note = "The water climbs the wall and leaves a hollow in the middle; after 1.5 s nothing stirs it, and it falls back and levels.",
    method = "mueller", spacing = 0.004, duration = 3, fps = 30,
    -- Soft enough for steps of half a millisecond. Forces by one kernel and densities by another feed a little noise into the water:
    -- damping takes it out.
    mueller = { compression = 0.1, damping = 0.06 },
}

-- Tension against air at 20 C. Tinted: so little water would have no colour of its own.
local water = material("water", { surface_tension = 0.0728, absorption = { 25, 8, 3 } })

body {
    name = "glass", opacity = 0.15, color = { 0.7, 0.8, 0.9 }, friction = 0.05,
    shape = shell { cylinder { radius = 0.032, height = 0.11 }, thickness = 0.003, open = true }, at = { 0, 0.058, 0 },
}
body { name = "table", shape = plane {}, friction = 0.5 }
fluid { material = water, shape = cylinder { radius = 0.032, height = 0.048 }, at = { 0, 0.027, 0 }, jitter = 0.05 }

-- A stirrer without a body: it carries the water along; the wall holds it back, so it lags behind.
local spin, grip = 40, 20 -- [rad/s], [1/s]
field {
    acceleration = function(x, y, z, vx, vy, vz) return grip * (spin * z - vx), 0, grip * (-spin * x - vz) end,
    stop = 1.5,
}

sink { shape = box { size = { 1, 1, 1 } }, inverted = true } -- what leaves the glass and runs away
camera { from = { 0.10, 0.15, 0.20 }, to = { 0, 0.052, 0 }, fov = 33 }
