-- A cube of jelly falls into a dish of honey, tips over in it and comes to float.
-- Liquid and solid push each other: samples of the solid ride on its tetrahedra and take the pressure and the drag of the honey (dfsph).
scene {
    title = "Jelly in honey",
    note = "It squashes as it lands on its edge, the honey gives way slowly, and it turns and floats: it has half of the honey's density.",
    method = "dfsph", spacing = 0.004, duration = 3, fps = 30, depth = 0.045, speed = 1.2,
    dfsph = { viscosity = "implicit" },
}

body {
    name = "dish", shape = shell { box { size = { 0.112, 0.064, 0.112 } }, thickness = 0.008, open = true }, at = { 0, 0.04, 0 },
    friction = 1, color = { 0.75, 0.85, 0.9 }, opacity = 0.12,
}
body { name = "table", shape = plane {}, color = { 0.25, 0.2, 0.17 } }
fluid { material = material("honey", { viscosity = 5 }), shape = box { size = { 0.112, 0.036, 0.112 } }, at = { 0, 0.026, 0 } }

solid {
    name = "jelly", shape = box { size = { 0.044, 0.044, 0.044 } }, cells = { 5, 5, 5 }, at = { 0.005, 0.1, 0 },
    turn = { axis = { 0.2, 0.3, 1 }, degrees = 35 }, velocity = { 0, -0.3, 0 },
    density = 720, young = 20000, poisson = 0.4, damping = 0.003, friction = 1, contact_friction = 0.3,
    trace = { { 0.005, 0.1, 0 } }, color = { 0.05, 0.35, 0.12 }, roughness = 0.1,
}

camera { from = { 0.13, 0.17, 0.2 }, to = { 0, 0.04, 0 }, fov = 36 }
