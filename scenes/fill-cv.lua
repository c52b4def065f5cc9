-- A closed box is filled with particles whose volume is c_V times the cube of their spacing: c_V below 1 leaves room at the top.
-- Gagneux's thesis 2022, fig. 3.6: c_V = 0.6, 0.8, 0.9 and 1.0, here by `--set sph.fill=0.6` and so on; at 1 the box stays full. A ball
-- of cork shows where the surface is.
scene {
    title = "Filling a closed box",
    note = "The water falls together, sloshes and rests with a fifth of the box empty; the ball rises and floats.",
    method = "dfsph", spacing = 0.025, duration = 3, fps = 30,
    sph = { fill = 0.8 },
}

body {
    name = "box", opacity = 0.1, color = { 0.7, 0.8, 0.9 }, absorption = { 1.2, 0.5, 0.4 },
    shape = shell { box { size = { 0.5, 0.5, 0.5 } }, thickness = 0.07 }, at = { 0, 0.32, 0 },
}
body { name = "ball", shape = sphere { radius = 0.08 }, at = { 0.04, 0.24, 0.02 }, density = 240, color = { 0.75, 0.42, 0.15 } }
-- Tinted: so little water would have no colour of its own.
local water = material("water", { absorption = { 3.5, 1.1, 0.4 } })
fluid { material = water, shape = box { size = { 0.5, 0.5, 0.5 } }, at = { 0, 0.32, 0 }, jitter = 0 }

camera { from = { 0.7, 0.75, 1.1 }, to = { 0, 0.24, 0 }, fov = 38 }
