-- A hard ball is pressed into a ball of clay and taken away; the dent stays.
-- Clavet's thesis 2005, fig. 5.6: beyond the yield ratio the rest lengths of the springs follow the deformation.
scene {
    title = "Dented ball",
    note = "The hard ball goes in and out; its print stays in the clay.",
    spacing = 0.005, duration = 3, fps = 30,
    pvfs = { height_error = 0.05, kernel = "paper" },
}

-- Stiffer than the library's clay and yielding earlier: it must carry itself, and little of the dent may spring back.
local clay = material("clay", {
    density = 1500, shear_modulus = 15000, yield_stretch = 0.03, yield_compress = 0.03, flow_stretch = 50, flow_compress = 50,
})

body { name = "ground", shape = plane { normal = { 0, 1, 0 } }, friction = 1, color = { 0.30, 0.33, 0.36 } }
fluid { material = clay, shape = sphere { radius = 0.05 }, at = { 0, 0.05, 0 } }
at(0, function(world) world:add_springs(clay) end)

-- In within a second, back within another, along a line that leans towards the camera.
local function press(t)
    local depth = 0.5 - 0.5 * math.cos(math.pi * math.min(math.max(t - 0.2, 0), 2))
    local s = 0.13 - 0.095 * depth
    return { at = { -0.3 * s, 0.05 + 0.9 * s, 0.3 * s } }
end
body { name = "stamp", shape = sphere { radius = 0.026 }, motion = press, color = { 0.45, 0.47, 0.50 } }

camera { from = { 0.04, 0.25, 0.24 }, to = { -0.01, 0.075, 0.01 }, fov = 37 }
