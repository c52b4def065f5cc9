-- A drop falls into a shallow pool: a crater opens, a crown rises round it and throws drops, a jet rises where the crater closes.
-- The classic picture of Worthington 1908, A Study of Splashes, with a drop of 7 cm and a surface
-- tension raised with it, so that the sheet holds together (cohesion by Akinci, Akinci and Teschner 2013).
scene {
    title = "A drop into a pool",
    note = "The crown rises from the rim of the crater, breaks into drops and falls back; then a jet rises in the middle.",
    method = "dfsph", spacing = 0.0045, duration = 1, fps = 60,
    dfsph = { tension = "cohesion" },
}

body {
    name = "bowl", color = { 0.04, 0.12, 0.22 },
    shape = shell { cylinder { radius = 0.16, height = 0.06 }, thickness = 0.01, open = true }, at = { 0, 0.04, 0 },
}
body { name = "table", shape = plane {}, friction = 0.5, color = { 0.36, 0.20, 0.09 } }
local milk = material("milk", { surface_tension = 0.3 })
fluid { material = milk, shape = cylinder { radius = 0.16, height = 0.0315 }, at = { 0, 0.02575, 0 } }
fluid { material = milk, shape = sphere { radius = 0.035 }, at = { 0, 0.12, 0 }, velocity = { 0, -1.6, 0 } }

sink { shape = box { size = { 2, 2, 2 } }, inverted = true } -- what splashes out of the bowl
camera { from = { 0.14, 0.25, 0.42 }, to = { 0, 0.055, 0 }, fov = 35 }
