-- Water in a glass that attracts it, in 2D: the surface climbs at the walls, a meniscus (Clavet 2005, thesis fig. 6.3, right).
-- Compare with meniscus-dry, the same glass without adhesion. Surface tension comes with the method and grows with the size of
-- the particles: it is far more than water has, so that a meniscus fits a glass 10 cm wide.
scene {
    title = "Meniscus, with adhesion",
    note = "The surface comes to rest hollow: it climbs at both walls.",
    dimension = 2, spacing = 0.004, depth = 0.08, duration = 4, fps = 30,
    pvfs = { recipe = "drops", near_ratio = 2.5 },
}

body {
    name = "glass", shape = shell { box { size = { 0.1, 0.15 } }, thickness = 0.005, open = true }:at { 0, 0.075 },
    stickiness = 1e5,
}
emitter { material = "water", shape = disk { radius = 0.016 }, at = { 0, 0.14 }, direction = { 0, -1 }, speed = 0.2, stop = 1.2 }

camera { from = { 0, 0.075, 1 }, to = { 0, 0.075, 0 }, fov = 10 }
