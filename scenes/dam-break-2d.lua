-- A dam breaks in 2D: the column falls, its front runs along the floor, climbs the other wall and comes back as a breaking wave.
-- The experiment of Koshizuka and Oka 1996 (Nucl. Sci. Eng. 123): a column of width L and height 2 L in a tank of 4 L, L = 0.146 m.
scene {
    title = "Dam break in 2D",
    note = "The front reaches the wall after a quarter of a second, shoots up, and the wave rolls back over the water below it.",
    dimension = 2, method = "dfsph", spacing = 0.00365, duration = 2.5, fps = 60,
}

body {
    name = "tank", color = { 0.25, 0.25, 0.27 },
    shape = shell { box { size = { 0.584, 0.50 } }, thickness = 0.02, open = true }, at = { 0.292, 0.25 },
}
fluid { material = material("water", { opacity = 1 }), shape = box { size = { 0.146, 0.292 } }, at = { 0.073, 0.146 }, jitter = 0 }

sink { shape = box { size = { 4, 4 } }, inverted = true } -- what splashes out of the tank
camera { from = { 0.292, 0.245, 1 }, to = { 0.292, 0.245, 0 }, fov = 31 }
