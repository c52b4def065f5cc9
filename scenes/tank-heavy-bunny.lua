-- Water is poured into a tank in which a stone bunny stands: it runs round the bunny, pushes it along, and rises.
-- Clavet 2005, fig. 9, and thesis fig. 7.5: the liquid goes round the bunny, and the bunny is moved by the liquid.
scene {
    title = "Filling a tank with a heavy bunny in it",
    note = "The jet strikes the bunny's flank and parts; the bunny gives way, and stays on the floor while the water rises to its ears.",
    spacing = 0.008, duration = 3, fps = 30, speed = 2.6,
    pvfs = { height_error = 0.02 },
}

body {
    name = "tank", shape = shell { box { size = { 0.38, 0.26, 0.28 } }, thickness = 0.01, open = true },
    at = { 0, 0.14, 0 }, friction = 0.1, color = { 0.7, 0.8, 0.9 }, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
}
body { name = "ground", shape = plane {} }

-- Tinted: so little water would have no colour of its own.
local water = material("water", { absorption = { 5, 1.6, 0.6 } })
emitter {
    name = "jug", material = water, shape = disk { radius = 0.034 }, at = { -0.12, 0.34, 0.02 }, direction = { 0.3, -1, 0 }, speed = 1.5,
    stop = 2,
}

-- Twice as heavy as water.
body {
    name = "bunny", shape = mesh { stock = "bunny", size = 0.2, center = "ground" }, at = { 0.02, 0.0105, 0 },
    turn = { axis = { 0, 1, 0 }, degrees = 15 }, density = 2000, friction = 0.1, color = { 0.62, 0.36, 0.18 },
}

sink { shape = box { size = { 3, 3, 3 } }, inverted = true } -- what splashes out of the tank

camera { from = { -0.20, 0.46, 0.74 }, to = { 0, 0.145, 0 }, fov = 35 }
