-- Clavet's own numbers to the letter (Clavet 2005, sect. 4 to 6): k = 0.004, k_near = 0.01, rho0 = 10, dt = 1, that is 1/30 s, with h for
-- the unit of length, walls that only stop particles, and one step a frame. Our other scenes choose theirs from depth and speed.
scene {
    title = "The paper's numbers",
    note = "A soft liquid slops to and fro; it gives under its weight, and a tight row of particles lines walls and floor.",
    dimension = 2, spacing = 0.01, duration = 4, fps = 30,
    -- In the paper's units gravity is g / (900 h): the moon's is 0.04 of them here. With a support of 4.4 d the lattice at the start has
    -- the paper's density of 10.
    gravity = { 0, -1.62, 0 },
    pvfs = { k = 0.004, k_near = 0.01, rho0 = 10, step = 1 / 30, support = 4.4, walls = "clamp" },
}

body { name = "vessel", shape = shell { box { size = { 0.5, 0.4 } }, thickness = 0.02, open = true }, at = { 0.25, 0.22 }, color = { 0.5, 0.5, 0.5 } }
fluid { material = "water", shape = box { size = { 0.2, 0.3 } }, at = { 0.1, 0.17 } }

colors { by = "density", low = 0, high = 2, map = "inferno" }
camera { from = { 0.25, 0.2, 1 }, to = { 0.25, 0.2, 0 }, fov = 28 }
