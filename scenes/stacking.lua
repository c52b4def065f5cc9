-- Water in 2D whose particles are kept apart by a plain repulsion: they stack like balls (Clavet 2005, thesis fig. 4.7).
-- Compare with the near density, which lets the same water flow flat:
--   coulis run stacking --set pvfs.near=density --set pvfs.near_ratio=0.5 --set pvfs.support=2.5 --set pvfs.rho0=auto
scene {
    title = "Plain repulsion: stacking",
    note = "The particles pile up in rigid rows, and the heap never flows flat.",
    dimension = 2, spacing = 0.01, depth = 0.2, duration = 6, fps = 30,
    pvfs = { near = "distance", support = 1.8, near_ratio = 10, rho0 = 4.6 },
}

body { name = "tank", shape = shell { box { size = { 0.8, 0.3 } }, thickness = 0.02, open = true }:at { 0, 0.15 }, friction = 0.5 }
emitter { material = "water", shape = disk { radius = 0.04 }, at = { 0, 0.4 }, direction = { 0, -1 }, speed = 0.4, stop = 4 }

camera { from = { 0, 0.2, 1 }, to = { 0, 0.2, 0 }, fov = 36 }
