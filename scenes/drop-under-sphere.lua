-- Liquid poured on a sticky sphere runs round it, gathers underneath and hangs there as a drop until it is too heavy.
-- Clavet 2005, fig. 7.
scene {
    title = "A drop under a sphere",
    note = "The film closes under the sphere; the drop grows, hangs, lets go and leaves a rest.",
    spacing = 0.0035, duration = 5, fps = 30, speed = 2.4,
    pvfs = { recipe = "drops", support = 3, near_ratio = 1, height_error = 0.03 },
}

local liquid = material("liquid", {
    base = "oil", density = 1000, viscosity = 0.2, color = { 0.10, 0.40, 0.65 }, absorption = { 90, 25, 6 },
})

body {
    name = "sphere", shape = sphere { radius = 0.04 }, at = { 0, 0.17, 0 }, color = { 0.75, 0.72, 0.68 },
    friction = 0.7, stickiness = 200000,
}
body { name = "ground", shape = plane { normal = { 0, 1, 0 } }, friction = 0.8 }

emitter {
    material = liquid, shape = disk { radius = 0.011 }, at = { 0, 0.225, 0 }, direction = { 0, -1, 0 },
    speed = 0.12, stop = 3.5,
}

camera { from = { 0.07, 0.14, 0.42 }, to = { 0.015, 0.11, 0 }, fov = 34 }
