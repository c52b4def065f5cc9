-- A splash by a force that pulls: a hand draws the water of a small tank up to a corner and lets go, twice.
-- Müller, Charypar and Gross 2003, section 6: 1300 particles, moved by the force field of the user's mouse.
scene {
    title = "A splash by a pulled force",
    note = "The water gathers in a hump, is let go, hits the other wall and breaks into drops; then the same from the other side.",
    method = "mueller", spacing = 0.004, duration = 3, fps = 30,
    mueller = { compression = 0.1, damping = 0.06 },
}

-- Tension against air at 20 C. Tinted: so little water would have no colour of its own.
local water = material("water", { surface_tension = 0.0728, absorption = { 30, 9, 3.5 } })

body {
    name = "tank", opacity = 0.15, color = { 0.7, 0.8, 0.9 }, friction = 0.1,
    shape = shell { box { size = { 0.096, 0.10, 0.056 } }, thickness = 0.003, open = true }, at = { 0, 0.053, 0 },
}
body { name = "table", shape = plane {}, friction = 0.5 }
fluid { material = water, shape = box { size = { 0.096, 0.016, 0.056 } }, at = { 0, 0.011, 0 }, jitter = 0.05 }

-- Twice as strong as gravity, for a fifth of a second.
field { kind = "pull", center = { -0.030, 0.06, 0 }, strength = 18, radius = 0.05, start = 0.1, stop = 0.3 }
field { kind = "pull", center = { 0.030, 0.06, 0.01 }, strength = 18, radius = 0.05, start = 1.5, stop = 1.7 }

sink { shape = box { size = { 1, 1, 1 } }, inverted = true } -- what leaves the tank and runs away
camera { from = { 0.09, 0.11, 0.20 }, to = { 0, 0.044, 0 }, fov = 35 }
