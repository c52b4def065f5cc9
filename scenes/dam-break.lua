-- A dam breaks over solids: the water carries the ball, shoves the light boxes and breaks on the heavy one.
-- Gagneux's thesis 2022, fig. 3.7: a box of 2 x 1 x 1 m, masses and volumes of the solids as there; places are ours.
scene {
    title = "Dam break with solids",
    note = "The wave pushes the boxes to the far wall and lifts the ball; in the end the ball floats and the boxes lie on the floor.",
    method = "dfsph", spacing = 0.025, duration = 4, fps = 30,
}

local yellow, red = { 0.85, 0.50, 0.03 }, { 0.60, 0.08, 0.04 }

body {
    name = "tank", opacity = 0.1, color = { 0.7, 0.8, 0.9 }, absorption = { 1.2, 0.5, 0.4 },
    shape = shell { box { size = { 2, 1, 1 } }, thickness = 0.05, open = true }, at = { 1, 0.5, 0 },
}
-- Tinted: the colour of a metre of water hardly shows.
local water = material("water", { absorption = { 2.4, 0.7, 0.25 } })
fluid { material = water, shape = box { size = { 0.6, 0.75, 1 } }, at = { 0.3, 0.375, 0 }, jitter = 0 }

body { name = "ball", shape = sphere { radius = 0.1 }, at = { 1.15, 0.1, 0.28 }, mass = 2.5, color = yellow } -- 0.0042 m^3
body { name = "heavy", shape = box { size = { 0.15, 0.5, 0.15 } }, at = { 1.25, 0.25, -0.05 }, mass = 125, color = yellow }
for i, place in ipairs { { 0.95, 0.1, -0.28 }, { 1.55, 0.1, 0.25 }, { 1.60, 0.1, -0.25 }, { 0.90, 0.1, 0.08 } } do
    body { name = "box" .. i, shape = box { size = { 0.15, 0.2, 0.15 } }, at = place, mass = 8, color = red } -- 0.0045 m^3
end

sink { shape = box { size = { 8, 8, 8 } }, inverted = true } -- what splashes out of the tank
camera { from = { 2.0, 1.7, 3.2 }, to = { 1.0, 0.36, 0 }, fov = 31 }
