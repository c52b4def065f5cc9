-- A stream of syrup coils on a stool; the folds sink into each other and the syrup runs over the edge.
-- Clavet's thesis 2005, fig. 7.8: elasticity makes the coil, plasticity lets the folds vanish.
scene {
    title = "Syrup coiling on a stool",
    note = "The rope winds in rings, the rings melt together, the pool reaches the edge.",
    spacing = 0.003, duration = 5, fps = 30, speed = 1.6,
    pvfs = { height_error = 0.05 },
}

-- Cold and stiff: stress relaxes within a quarter of a second. Paler than the library's, so that the folds show.
local syrup = material("syrup", { shear_modulus = 4000, flow_stretch = 4, flow_compress = 4, absorption = { 5, 30, 170 } })
local wood = { 0.36, 0.20, 0.09 }

body { name = "seat", shape = cylinder { radius = 0.08, height = 0.02 }, at = { 0, 0.10, 0 }, friction = 0.9, color = wood }
for i = 0, 2 do
    local a = math.rad(120 * i + 30)
    body { shape = capsule { radius = 0.010, height = 0.08 }, at = { 0.055 * math.cos(a), 0.048, 0.055 * math.sin(a) }, color = wood }
end
body { name = "ground", shape = plane { normal = { 0, 1, 0 } }, friction = 0.9 }

emitter {
    material = syrup, shape = disk { radius = 0.009 }, at = { 0, 0.27, 0 }, direction = { 0.04, -1, 0.02 },
    speed = 0.7, stop = 3.2,
}

camera { from = { 0.20, 0.28, 0.38 }, to = { 0, 0.145, 0 }, fov = 34 }
