-- A sheet of liquid in 2D without gravity, relaxed with one density only: the particles clump (Clavet 2005, thesis fig. 4.6).
-- A particle meets its rest density as well with a few neighbours on top of each other as with many around it.
-- Compare with clustering-double, the same sheet with both densities.
scene {
    title = "Single density: clumps",
    note = "The sheet tears into strings and clumps of overlapping particles, and stays angular.",
    dimension = 2, spacing = 0.01, gravity = { 0, 0, 0 }, speed = 0.5, duration = 4, fps = 30,
    pvfs = { support = 4, near_ratio = 1, near = "none" },
}

fluid { material = "water", shape = box { size = { 0.4, 0.3 } }, jitter = 0.4 }

camera { from = { 0, 0, 1 }, to = { 0, 0, 0 }, fov = 24 }
