-- A sheet of liquid in 2D without gravity, relaxed with both densities: even spacing (Clavet 2005, thesis fig. 4.9).
-- The near density pushes close particles apart until each has its own place; surface tension comes with it.
-- Compare with clustering-single, the same sheet with one density.
scene {
    title = "Double density: even spacing",
    note = "The sheet pulls itself into a disc, and its particles come to rest at even distances.",
    dimension = 2, spacing = 0.01, gravity = { 0, 0, 0 }, speed = 0.5, duration = 16, fps = 30,
    pvfs = { support = 4, near_ratio = 1, near = "density" },
}

fluid { material = "water", shape = box { size = { 0.4, 0.3 } }, jitter = 0.4 }

camera { from = { 0, 0, 1 }, to = { 0, 0, 0 }, fov = 24 }
