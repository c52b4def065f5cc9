-- A bunny of jelly falls down a flight of stairs.
-- Green-Lagrange strains on some 3300 tetrahedra that fill the bunny's mesh: it may turn and bend as far as it likes.
scene {
    title = "Jelly bunny on stairs",
    note = "It squashes on every step, tips over and wobbles on.",
    spacing = 0.02, duration = 3, fps = 30,
}

solid {
    name = "bunny", shape = mesh { stock = "bunny", size = 0.25, center = "bounds" }, at = { -0.28, 0.62, 0 },
    turn = { axis = { 0, 1, 0 }, degrees = 90 }, spacing = 0.022, velocity = { 0.7, 0, 0 }, spin = { 0, 0, -3 },
    density = 1000, young = 150000, poisson = 0.4, damping = 0.0004, color = { 0.7, 0.12, 0.1 }, roughness = 0.15,
}

for k = 0, 3 do
    body { shape = box { size = { 0.26, 0.4, 0.8 } }, at = { -0.3 + 0.26 * k, 0.2 - 0.11 * k, 0 }, contact_friction = 0.4 }
end
body { name = "ground", shape = plane {}, at = { 0, -0.24, 0 } }

camera { from = { 0.75, 0.62, 1.3 }, to = { 0.08, 0.2, 0 }, fov = 36 }
