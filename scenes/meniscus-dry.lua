-- Water in a glass that does not attract it, in 2D: the surface stays flat (Clavet 2005, thesis fig. 6.3, left).
-- Compare with meniscus, the same glass with adhesion.
scene {
    title = "Meniscus, without adhesion",
    note = "The surface comes to rest flat, right up to the walls.",
    dimension = 2, spacing = 0.004, depth = 0.08, duration = 4, fps = 30,
    pvfs = { recipe = "drops", near_ratio = 2.5 },
}

body {
    name = "glass", shape = shell { box { size = { 0.1, 0.15 } }, thickness = 0.005, open = true }:at { 0, 0.075 },
    stickiness = 0,
}
emitter { material = "water", shape = disk { radius = 0.016 }, at = { 0, 0.14 }, direction = { 0, -1 }, speed = 0.2, stop = 1.2 }

camera { from = { 0, 0.075, 1 }, to = { 0, 0.075, 0 }, fov = 10 }
