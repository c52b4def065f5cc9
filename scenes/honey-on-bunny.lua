-- Honey poured over a bunny: it folds on head and back, runs down in sheets and strings, and pools on the ground.
-- The pose of Clavet 2005, fig. 11, with the Stanford bunny, 20 cm long.
scene {
    title = "Honey on a bunny",
    note = "The string of honey folds on head and back, runs down in sheets, and spreads in a pool.",
    spacing = 0.006, duration = 4, fps = 30,
}

local honey = material("honey")

body { name = "ground", shape = plane { normal = { 0, 1, 0 } }, friction = 0.9 }
body {
    name = "bunny", shape = mesh { stock = "bunny", size = 0.2, center = "ground" },
    friction = 0.85, stickiness = 400, color = { 0.72, 0.70, 0.68 },
}

-- The stream wanders from the head to the back and returns.
emitter {
    material = honey, shape = disk { radius = 0.016 }, direction = { 0, -1, 0 }, speed = 0.5, stop = 3.2,
    motion = function(t) return { at = { -0.005 - 0.04 * math.cos(1.8 * t), 0.30, 0.004 } } end,
}

camera { from = { -0.24, 0.28, 0.54 }, to = { 0, 0.084, 0 }, fov = 30 }
