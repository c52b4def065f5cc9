-- A drop falls on a pool in 2D, with surface tension: a crater, a crown of two jets, and a hump that rises as the crater closes.
-- Surface tension by cohesion (Akinci, Akinci and Teschner 2013); the drop is large and the liquid's tension raised with it, so that
-- what a drop of 4 mm does in milliseconds takes a second here.
scene {
    title = "A drop in 2D",
    note = "The crater opens, two jets leave its rim and break into drops, and a hump rises in the middle as the crater closes.",
    dimension = 2, method = "dfsph", spacing = 0.005, duration = 1.5, fps = 60,
    dfsph = { tension = "cohesion" },
}

local water = material("water", { surface_tension = 1, opacity = 1 })
local drop = material("drop", { base = "water", surface_tension = 1, color = { 0.75, 0.15, 0.08 }, opacity = 1 })

body {
    name = "tank", color = { 0.25, 0.25, 0.27 }, at = { 0, 0.25 },
    shape = shell { box { size = { 1.0, 0.50 } }, thickness = 0.03, open = true },
}
fluid { material = water, shape = box { size = { 1.0, 0.15 } }, at = { 0, 0.075 }, jitter = 0 }
fluid { material = drop, shape = sphere { radius = 0.05 }, at = { 0, 0.32 }, velocity = { 0, -3 }, jitter = 0 }

sink { shape = box { size = { 4, 4 } }, inverted = true } -- what splashes out of the tank
camera { from = { 0, 0.22, 1 }, to = { 0, 0.22, 0 }, fov = 34 }
