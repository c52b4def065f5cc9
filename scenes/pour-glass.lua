-- Water is poured into a glass: the jet stirs what is there, the level rises, and the last drops fall.
-- Müller, Charypar and Gross 2003, section 6: pouring, up to 3000 particles.
scene {
    title = "Pouring into a glass",
    note = "The first water splashes on the bottom; then the jet dives into the pool and stirs it; in the end the glass is still.",
    method = "mueller", spacing = 0.004, duration = 3.5, fps = 30, depth = 0.07,
    mueller = { compression = 0.1, damping = 0.06 },
}

-- Tension against air at 20 C. Tinted: so little water would have no colour of its own.
local water = material("water", { surface_tension = 0.0728, absorption = { 25, 8, 3 } })

body {
    name = "glass", opacity = 0.15, color = { 0.7, 0.8, 0.9 }, friction = 0.1,
    shape = shell { cylinder { radius = 0.032, height = 0.10 }, thickness = 0.003, open = true }, at = { 0, 0.053, 0 },
}
body { name = "table", shape = plane {}, friction = 0.5 }

emitter {
    name = "jug", material = water, shape = disk { radius = 0.010 }, at = { -0.020, 0.125, 0 }, direction = { 1, -2, 0 }, speed = 0.3,
    max_count = 3000,
}

sink { shape = box { size = { 1, 1, 1 } }, inverted = true } -- what leaves the glass and runs away
camera { from = { 0.09, 0.14, 0.22 }, to = { 0, 0.064, 0 }, fov = 34 }
