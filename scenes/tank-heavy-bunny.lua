-- A stone bunny falls into a tank of water, throws it up the walls, and sinks to the floor.
-- After Clavet's thesis 2005, fig. 7.5, a heavy bunny in a tank: the water goes round the bunny, and the bunny is moved by the water.
scene {
    title = "A heavy bunny in a tank",
    note = "The water closes round the bunny, which comes to the floor and stays there, ears and back above the waves.",
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
fluid { material = water, shape = box { size = { 0.38, 0.11, 0.28 } }, at = { 0, 0.065, 0 } }

-- Two and a half times as heavy as water: sandstone.
body {
    name = "bunny", shape = mesh { stock = "bunny", size = 0.2, center = "bounds" }, at = { 0.01, 0.38, 0 },
    velocity = { 0, -1.5, 0 }, turn = { degrees = 15 }, density = 2500, friction = 0.1, color = { 0.62, 0.36, 0.18 },
}

sink { shape = box { size = { 3, 3, 3 } }, inverted = true } -- what splashes out of the tank

camera { from = { -0.20, 0.46, 0.74 }, to = { 0, 0.135, 0 }, fov = 33 }
