-- Two liquids of very different viscosity poured side by side into one tank: one splashes and levels, the other heaps up.
-- The thick one is also the heavier one: it slowly creeps under the thin one.
scene {
    title = "Two liquids",
    note = "Left water, which splashes and finds its level; right syrup, which folds and heaps up.",
    spacing = 0.006, duration = 4, fps = 30, depth = 0.08,
    pvfs = { height_error = 0.05, kernel = "paper" },
}

local thin = material("water", { color = { 0.06, 0.25, 0.65 }, absorption = { 30, 11, 3 } })
local thick = material("syrup", { shear_modulus = 600, color = { 0.75, 0.40, 0.05 }, absorption = { 4, 20, 110 } })

body {
    name = "tank", shape = shell { box { size = { 0.32, 0.14, 0.10 } }, thickness = 0.01, open = true },
    at = { 0, 0.08, 0 }, friction = 0.3, color = { 0.7, 0.8, 0.9 }, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
}

local mouth = disk { radius = 0.018 }
emitter { material = thin, shape = mouth, at = { -0.09, 0.25, 0 }, direction = { 0, -1, 0 }, speed = 0.5, stop = 2.2 }
emitter { material = thick, shape = mouth, at = { 0.07, 0.25, 0 }, direction = { 0, -1, 0 }, speed = 0.5, stop = 2.2 }

camera { from = { 0.10, 0.26, 0.54 }, to = { 0, 0.115, 0 }, fov = 32 }
