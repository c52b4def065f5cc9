-- A sheet in the plane, held at its upper corners, sags and catches a ball.
-- Triangles with Green-Lagrange strains; the sheet is thin, so it bends like cloth that has some thickness.
scene {
    title = "A sheet in 2D", note = "The ball drops into the sheet, which gives way and throws it back a little.",
    dimension = 2, spacing = 0.02, duration = 3, fps = 30,
}

solid {
    name = "sheet", shape = box { size = { 0.8, 0.02, 1 } }, cells = { 80, 2, 1 }, at = { 0, 0.5 },
    young = 300000, poisson = 0.3, density = 500, damping = 0.003, color = { 0.1, 0.35, 0.6 },
    fixed = union { box { size = { 0.03, 0.1, 1 } }:at { -0.4, 0.5 }, box { size = { 0.03, 0.1, 1 } }:at { 0.4, 0.5 } },
}
body { name = "ball", shape = sphere { radius = 0.06 }, at = { 0.05, 0.75 }, density = 300, color = { 0.75, 0.3, 0.1 } }
body { name = "ground", shape = plane {} }

camera { from = { 0, 0.4, 1.4 }, to = { 0, 0.4, 0 }, fov = 40 }
