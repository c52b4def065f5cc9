-- A fountain in 2D, between polygons (Clavet 2005, the interactive scene): it shoots up, is split by a swinging wedge, falls on
-- two slopes and into a basin. What runs over the basin's rim is removed.
scene {
    title = "Fountain in 2D",
    note = "The wedge swings through the jet and sends the water left and right; it runs off the slopes and fills the basin.",
    dimension = 2, spacing = 0.008, depth = 0.2, duration = 5, fps = 30,
}

local function wall(...) return polygon { points = { ... } } end

body {
    name = "basin", friction = 0.1,
    shape = union {
        wall({ -0.75, 0.10 }, { -0.70, 0.10 }, { -0.70, 0 }, { 0.70, 0 }, { 0.70, 0.10 }, { 0.75, 0.10 }, { 0.75, -0.04 }, { -0.75, -0.04 }),
        wall({ -0.08, 0 }, { -0.04, 0.25 }, { -0.022, 0.25 }, { -0.022, 0 }), -- nozzle
        wall({ 0.08, 0 }, { 0.04, 0.25 }, { 0.022, 0.25 }, { 0.022, 0 }),
    },
}
body { name = "left", shape = wall({ -0.20, 0.46 }, { -0.26, 0.50 }, { -0.50, 0.36 }, { -0.42, 0.33 }), friction = 0.1 }
body { name = "right", shape = wall({ 0.20, 0.34 }, { 0.48, 0.48 }, { 0.46, 0.34 }), friction = 0.1 }
body {
    name = "wedge", shape = wall({ 0, -0.05 }, { 0.09, 0.03 }, { -0.09, 0.03 }), friction = 0.1,
    motion = function(t) return { at = { 0.09 * math.sin(2 * t), 0.72 }, turn = { degrees = 20 * math.sin(2 * t) } } end,
}

emitter { material = "water", shape = disk { radius = 0.016 }, at = { 0, 0.05 }, direction = { 0, 1 }, speed = 4.3 }
sink { shape = box { size = { 1.7, 2 } }:at { 0, 0.92 }, inverted = true }

camera { from = { 0, 0.42, 1 }, to = { 0, 0.42, 0 }, fov = 60 }
