-- Figures that several scenes share, for bodies: local figures = require "lib.figures"
-- Each stands on y = 0 and looks along +z; sizes are for scale = 1 [m]. Meshes need scene { ... } before them.
local sculpt = require "lib.sculpt"

local figures = {}

-- A rounded limb from one point to another.
function figures.limb(radius, from, to)
    local d = { to[1] - from[1], to[2] - from[2], to[3] - from[3] }
    local length = math.sqrt(d[1]^2 + d[2]^2 + d[3]^2)
    local middle = { (from[1] + to[1]) / 2, (from[2] + to[2]) / 2, (from[3] + to[3]) / 2 }
    local tilt = math.deg(math.acos(d[2] / length))
    local axis = { d[3], 0, -d[1] }
    if tilt < 0.1 or tilt > 179.9 then axis = { 1, 0, 0 } end -- upright: any axis will do
    return capsule { radius = radius, height = length }:turned { axis = axis, degrees = tilt }:at(middle)
end

-- A limb and its mirror image in the plane x = 0.
local function pair(limbs, radius, from, to, radius2)
    local function mirrored(p) return { -p[1], p[2], p[3] } end
    table.insert(limbs, sculpt.limb(radius, from, to, radius2))
    table.insert(limbs, sculpt.limb(radius, mirrored(from), mirrored(to or from), radius2))
end

local function single(limbs, ...) table.insert(limbs, sculpt.limb(...)) end

-- A person, 1.7 m tall, with arms held away from the body.
function figures.person(scale)
    local limbs = {}
    single(limbs, 0.085, { 0, 1.530, 0.015 }, { 0, 1.600, 0 }, 0.100)                   -- head
    single(limbs, 0.012, { 0, 1.585, 0.090 }, { 0, 1.550, 0.112 }, 0.016)               -- nose
    single(limbs, 0.052, { 0, 1.38, -0.01 }, { 0, 1.50, 0 }, 0.046)                     -- neck
    pair(limbs, 0.050, { 0, 1.405, -0.01 }, { 0.175, 1.365, -0.005 }, 0.062)            -- shoulders
    pair(limbs, 0.095, { 0.065, 1.27, 0.005 }, { 0.050, 1.12, 0 }, 0.085)               -- chest
    pair(limbs, 0.080, { 0.045, 1.10, 0 }, { 0.065, 0.95, -0.005 }, 0.100)              -- waist and hips
    pair(limbs, 0.056, { 0.200, 1.355, -0.005 }, { 0.345, 1.120, -0.030 }, 0.042)       -- arms
    pair(limbs, 0.045, { 0.345, 1.120, -0.030 }, { 0.475, 0.960, 0.090 }, 0.027)
    pair(limbs, 0.030, { 0.490, 0.940, 0.110 }, { 0.515, 0.890, 0.150 }, 0.020)         -- hands
    pair(limbs, 0.016, { 0.480, 0.935, 0.125 }, { 0.465, 0.905, 0.160 }, 0.012)         -- thumbs
    pair(limbs, 0.094, { 0.095, 0.88, 0 }, { 0.125, 0.50, 0.015 }, 0.058)               -- legs
    pair(limbs, 0.066, { 0.128, 0.44, -0.005 }, { 0.145, 0.11, -0.030 }, 0.038)
    pair(limbs, 0.042, { 0.145, 0.045, -0.050 }, { 0.170, 0.036, 0.130 }, 0.034)        -- feet
    return sculpt.mesh(limbs, { cell = 0.016, blend = 0.014, scale = scale or 1 })
end

-- A seated statue with crossed legs and hands in its lap, and as a second value its plinth: together 1 m tall.
function figures.statue(scale)
    scale = scale or 1
    local limbs = {}
    pair(limbs, 0.095, { 0.10, 0.225, -0.04 }, { 0.265, 0.205, 0.035 }, 0.075)          -- thighs
    pair(limbs, 0.070, { 0.265, 0.200, 0.050 }, { 0.020, 0.185, 0.185 }, 0.055)         -- shins
    pair(limbs, 0.045, { 0.020, 0.185, 0.190 }, { -0.110, 0.195, 0.165 }, 0.035)        -- feet
    pair(limbs, 0.120, { 0.06, 0.28, -0.03 }, { 0.05, 0.42, -0.01 }, 0.110)             -- belly
    pair(limbs, 0.110, { 0.05, 0.42, -0.01 }, { 0.08, 0.56, -0.01 }, 0.095)             -- chest
    pair(limbs, 0.060, { 0, 0.640, -0.02 }, { 0.175, 0.610, -0.015 }, 0.062)            -- shoulders
    pair(limbs, 0.062, { 0.200, 0.595, -0.01 }, { 0.262, 0.400, 0.00 }, 0.050)          -- arms
    pair(limbs, 0.052, { 0.262, 0.400, 0.00 }, { 0.075, 0.315, 0.170 }, 0.038)
    pair(limbs, 0.038, { 0.065, 0.310, 0.180 }, { -0.01, 0.300, 0.190 }, 0.030)         -- hands
    single(limbs, 0.058, { 0, 0.64, -0.01 }, { 0, 0.74, 0 }, 0.052)                     -- neck
    single(limbs, 0.082, { 0, 0.775, 0.010 }, { 0, 0.835, 0 }, 0.094)                   -- head
    pair(limbs, 0.016, { 0.093, 0.735, 0 }, { 0.095, 0.840, -0.005 }, 0.020)            -- ears
    single(limbs, 0.010, { 0, 0.825, 0.088 }, { 0, 0.788, 0.102 }, 0.016)               -- nose
    single(limbs, 0.042, { 0, 0.945, -0.01 }, { 0, 0.965, -0.01 }, 0.036)               -- topknot
    local plinth = cone { radius = 0.38 * scale, radius2 = 0.34 * scale, height = 0.12 * scale }:at { 0, 0.06 * scale, 0 }
    return sculpt.mesh(limbs, { cell = 0.0105, blend = 0.008, scale = scale }), plinth
end

-- A teapot, 16 cm tall, with its spout along +x, and as a second value what it holds. Tilt it clockwise about z and it pours.
function figures.teapot()
    local pot, room = {}, {}
    local wall = 0.006
    local function hollow(radius, from, to, radius2)
        single(pot, radius + wall, from, to, (radius2 or radius) + wall)
        single(room, radius, from, to, radius2)
    end
    hollow(0.058, { 0, 0.067, 0 })                                                      -- belly
    hollow(0.018, { 0.040, 0.050, 0 }, { 0.082, 0.070, 0 }, 0.014)                      -- spout
    hollow(0.014, { 0.082, 0.070, 0 }, { 0.112, 0.122, 0 }, 0.011)
    single(pot, 0.019, { 0.110, 0.119, 0 }, { 0.112, 0.122, 0 })                        -- its lip, cut off
    single(room, 0.030, { 0.128, 0.149, 0 })
    for i = 1, 12 do                                                                    -- foot
        local function on_ring(turns) return { 0.034 * math.cos(2 * math.pi * turns), 0.010, 0.034 * math.sin(2 * math.pi * turns) } end
        single(pot, 0.007, on_ring(i / 12), on_ring((i + 1) / 12))
    end
    single(pot, 0.016, { 0, 0.120, 0 }, { 0, 0.138, 0 }, 0.008)                         -- lid
    single(pot, 0.011, { 0, 0.150, 0 })
    single(pot, 0.006, { -0.058, 0.096, 0 }, { -0.098, 0.100, 0 })                      -- handle
    single(pot, 0.006, { -0.098, 0.100, 0 }, { -0.113, 0.080, 0 })
    single(pot, 0.006, { -0.113, 0.080, 0 }, { -0.100, 0.048, 0 })
    single(pot, 0.006, { -0.100, 0.048, 0 }, { -0.060, 0.040, 0 })
    return sculpt.mesh(pot, { cell = 0.003, blend = 0.003, holes = room }), sphere { radius = 0.054 }:at { 0, 0.063, 0 }
end

return figures
