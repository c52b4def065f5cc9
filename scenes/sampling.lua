-- Solids as SPH sees them: points on lattices for sphere and box, spread evenly at random over the rabbit, where small gaps remain
-- (Gagneux's thesis 2022, figs 3.4 and 3.5: uniform sampling against Poisson disks). `coulis run sampling --picture --show-samples`
-- shows the points; a little water flows over them.
scene {
    title = "The samples of solids",
    note = "Rings on the sphere, rows on the box, an even disorder with small gaps on the rabbit; water sees no more of them than this.",
    method = "dfsph", spacing = 0.012, duration = 1, fps = 30,
    sph = { boundary_layers = 1 },
}

body { name = "sphere", shape = sphere { radius = 0.1 }, at = { -0.28, 0.1, 0 } }
body { name = "box", shape = box { size = { 0.18, 0.18, 0.18 } }, at = { 0, 0.09, 0 } }
body { name = "rabbit", shape = mesh { stock = "bunny", size = 0.22, center = "ground" }, at = { 0.28, 0, 0 } }
for i = -1, 1 do
    fluid { material = "water", shape = sphere { radius = 0.045 }, at = { 0.28 * i, 0.32, 0 } }
end

sink { shape = box { size = { 1.2, 2, 0.9 } }, inverted = true }
camera { from = { 0.25, 0.5, 0.95 }, to = { 0, 0.11, 0 }, fov = 32 }
