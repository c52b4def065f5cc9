-- A row of equal blocks, each of another plastic behaviour, dropped side by side.
-- Clavet 2005, fig. 5. One stiffness for all; what differs is when the springs begin to flow, and how fast.
scene {
    title = "A row of plastic behaviours",
    note = "Left to right: springs back, loses its edges, is squashed, sinks slowly, runs away.",
    spacing = 0.006, duration = 4, fps = 30,
    pvfs = { height_error = 0.05 },
}

-- The flow rate alpha [1/s] and the yield ratio gamma, the same for stretch and compression.
local function plastic(name, rate, yield, color)
    return material(name, {
        base = "gel", density = 1100, viscosity = 0.5, shear_modulus = 1500, opacity = 1, color = color,
        flow_stretch = rate, flow_compress = rate, yield_stretch = yield, yield_compress = yield,
    })
end

local row = {
    material("elastic", { base = "jelly", density = 1100, opacity = 1 }),
    plastic("tough", 20, 0.20, { 0.80, 0.35, 0.05 }),
    plastic("soft", 20, 0.05, { 0.75, 0.65, 0.08 }),
    plastic("dough", 3, 0.00, { 0.12, 0.55, 0.15 }),
    plastic("runny", 60, 0.00, { 0.08, 0.25, 0.65 }),
}

body { name = "ground", shape = plane { normal = { 0, 1, 0 } }, friction = 0.5, color = { 0.30, 0.33, 0.36 } }
local places = { -0.34, -0.20, -0.06, 0.09, 0.29 } -- the last one needs room
for i, matter in ipairs(row) do
    fluid { material = matter, shape = box { size = { 0.08, 0.08, 0.08 } }, at = { places[i], 0.10, 0 } }
end

-- Each block is whole from the beginning.
at(0, function(world)
    for _, matter in ipairs(row) do world:add_springs(matter) end
end)

camera { from = { 0, 0.34, 0.70 }, to = { 0, 0.03, 0 }, fov = 36 }
