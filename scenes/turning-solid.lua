-- A solid that is pinned at its centre and turns freely about all axes, under a block of falling water (Gagneux's thesis 2022, sect. 3.6.1).
-- The water falls on one side of a plate, which must turn that way, about the axis across the fall. Red and yellow is fast water (fig. 3.8).
scene {
    title = "A solid that turns under water",
    note = "The water tips the plate and sets it turning; it swings on through the spray while the water levels below it.",
    method = "dfsph", spacing = 0.02, duration = 2.5, fps = 30,
}

body {
    name = "tank", opacity = 0.1, color = { 0.7, 0.8, 0.9 }, absorption = { 1.2, 0.5, 0.4 },
    shape = shell { box { size = { 0.9, 0.7, 0.5 } }, thickness = 0.04, open = true }, at = { 0, 0.35, 0 },
}
body {
    name = "plate", shape = box { size = { 0.5, 0.05, 0.24 } }, at = { 0, 0.34, 0 }, density = 900, color = { 0.85, 0.50, 0.03 },
}
joint { name = "pin", kind = "ball", a = "plate", at = { 0, 0.34, 0 } }

local water = material("water", { absorption = { 3, 0.9, 0.3 } }) -- tinted: so little water has no colour of its own
fluid { material = water, shape = box { size = { 0.24, 0.24, 0.24 } }, at = { -0.2, 0.56, 0 }, jitter = 0 }

colors { by = "speed", low = 0, high = 3, map = "inferno" }
sink { shape = box { size = { 6, 6, 6 } }, inverted = true }
camera { from = { 0.75, 0.85, 1.6 }, to = { 0, 0.3, 0 }, fov = 31 }
