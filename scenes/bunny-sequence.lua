-- A bunny is cast from a liquid, trodden on as jelly, trodden on as clay, and melted: one matter that changes while it runs.
-- Clavet 2005, fig. 12 (thesis fig. 7.11): mould, springs, a squash, plasticity, a squash, no springs.
scene {
    title = "The life of a bunny",
    note = "Cast in a mould; trodden on, it recovers; made plastic, it keeps the print of the foot; without springs it flows away.",
    spacing = 0.005, duration = 5.6, fps = 30, depth = 0.15,
    pvfs = { height_error = 0.08, kernel = "paper" },
}

-- Frozen springs are made on command only: until then it is a liquid.
local matter = material("matter", {
    base = "jelly", shear_modulus = 8000, yield_stretch = 0.05, yield_compress = 0.05, flow_stretch = 40, flow_compress = 40,
    opacity = 1, color = { 0.60, 0.13, 0.27 },
})
local bunny = mesh { stock = "bunny", size = 0.15, center = "ground" }

body { name = "ground", shape = plane {}, friction = 0.9, color = { 0.30, 0.33, 0.36 } }
-- Glue under the feet, or the bunny would tumble when it springs up.
body {
    name = "glue", shape = cylinder { radius = 0.09, height = 0.004 }, at = { 0, -0.0015, 0 }, opacity = 0,
    friction = 1, stickiness = 300000,
}
body { name = "mould", shape = shell { bunny, thickness = 0.006 }, at = { 0, 0.001, 0 }, color = { 0.75, 0.85, 0.9 }, opacity = 0.15 }
fluid { material = matter, shape = bunny, at = { 0, 0.001, 0 } }

-- A foot comes down on its back twice; each time it stays a moment and goes up fast.
local sole = polygon {
    points = {
        { -0.044, -0.003 }, { -0.039, -0.015 }, { -0.022, -0.019 }, { 0.000, -0.013 }, { 0.022, -0.013 }, { 0.037, -0.009 },
        { 0.041, 0.000 }, { 0.036, 0.010 }, { 0.022, 0.013 }, { 0.000, 0.011 }, { -0.022, 0.014 }, { -0.039, 0.010 },
    },
    height = 0.016,
}
local up, down = { 0.016, 0.22, 0.012 }, { 0.016, 0.062, 0.012 }
body {
    name = "foot", at = up, friction = 0.5, color = { 0.30, 0.32, 0.36 },
    shape = union {
        sole:turned { axis = { 1, 0, 0 }, degrees = 90 },
        cone { radius = 0.014, radius2 = 0.020, height = 0.10 }:at { 0.024, 0.055, 0 },
    },
    motion = {
        { time = 0.9 }, { time = 1.4, at = down }, { time = 1.6 }, { time = 1.8, at = up },
        { time = 2.9 }, { time = 3.4, at = down }, { time = 3.8 }, { time = 4.0, at = up },
    },
}

at(0.3, function(world)
    world:add_springs(matter)
    world:remove_body("mould")
end)
at(2.7, function(world) world:set(matter, "springs", "plastic") end)
at(4.8, function(world)
    world:set(matter, "springs", "none")
    world:delete_springs(matter)
    world:remove_body("glue")
end)

camera { from = { 0.20, 0.27, 0.36 }, to = { 0, 0.060, 0 }, fov = 26 }
