-- A liquid in a vessel in 2D, with the near density that keeps particles apart (Clavet 2005, thesis fig. 4.11, right).
-- `coulis run free-surface-near --set pvfs.near=none` is the left: one density alone, where the particles of the surface and those
-- at the walls run together into strings.
scene {
    title = "A surface with near density",
    note = "Even rows up to the surface, which is as loose as the rest; without near density strings of overlapping particles line it.",
    dimension = 2, spacing = 0.01, duration = 2, fps = 30,
    pvfs = { recipe = "drops" },
}

body { name = "vessel", shape = shell { box { size = { 0.5, 0.3 } }, thickness = 0.02, open = true }, at = { 0, 0.17 }, color = { 0.5, 0.5, 0.5 } }
fluid { material = "water", shape = box { size = { 0.5, 0.14 } }, at = { 0, 0.09 } }

camera { from = { 0, 0.13, 1 }, to = { 0, 0.13, 0 }, fov = 20 }
