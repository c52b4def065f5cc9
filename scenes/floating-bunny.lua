-- A light bunny falls into a tank of water, bobs up, turns to where it floats well, and comes to rest.
-- Clavet 2005, fig. 10, and thesis fig. 7.6: the bunny of tank-heavy-bunny, six times lighter.
scene {
    title = "A floating bunny",
    note = "The bunny goes under, bobs up and rocks; it ends with two fifths of its volume below the water.",
    spacing = 0.009, duration = 3, fps = 30, speed = 2,
    pvfs = { height_error = 0.05 },
}

body {
    name = "tank", shape = shell { box { size = { 0.38, 0.28, 0.30 } }, thickness = 0.01, open = true },
    at = { 0, 0.15, 0 }, friction = 0.1, color = { 0.7, 0.8, 0.9 }, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
}
body { name = "ground", shape = plane {} }
-- Tinted: so little water would have no colour of its own.
local water = material("water", { absorption = { 5, 1.6, 0.6 } })
fluid { material = water, shape = box { size = { 0.38, 0.15, 0.30 } }, at = { 0, 0.085, 0 } }

body {
    name = "bunny", shape = mesh { stock = "bunny", size = 0.2, center = "bounds", turn = { axis = { 0, 1, 0 }, degrees = 180 } },
    at = { -0.01, 0.33, -0.02 }, turn = { degrees = -15 }, density = 400, friction = 0.1, color = { 0.75, 0.40, 0.14 },
}

sink { shape = box { size = { 3, 3, 3 } }, inverted = true } -- what splashes out of the tank

camera { from = { -0.20, 0.46, 0.74 }, to = { 0, 0.125, 0 }, fov = 33 }
