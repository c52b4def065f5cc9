-- Figures that several scenes share, put together from plain shapes: local figures = require "lib.figures"
-- Each stands on y = 0 and looks along +z; sizes are for scale = 1 [m].
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

-- A pencil for a figure: its limbs and balls are scaled, collected, and mirrored in the plane x = 0 where wanted.
local function begin_figure(scale)
    local parts = {}
    local function scaled(p) return { p[1] * scale, p[2] * scale, p[3] * scale } end
    local function mirrored(p) return { -p[1], p[2], p[3] } end
    local figure = { parts = parts }
    function figure.ball(radius, at) table.insert(parts, sphere { radius = radius * scale }:at(scaled(at))) end
    function figure.limb(radius, from, to) table.insert(parts, figures.limb(radius * scale, scaled(from), scaled(to))) end
    function figure.balls(radius, at)
        figure.ball(radius, at)
        figure.ball(radius, mirrored(at))
    end
    function figure.limbs(radius, from, to)
        figure.limb(radius, from, to)
        figure.limb(radius, mirrored(from), mirrored(to))
    end
    return figure
end

-- A person, 1.7 m tall, with arms held away from the body.
function figures.person(scale)
    local person = begin_figure(scale or 1)
    person.limb(0.100, { 0, 1.55, 0 }, { 0, 1.60, 0.01 })                -- head
    person.ball(0.022, { 0, 1.555, 0.10 })                               -- nose
    person.limb(0.055, { 0, 1.38, -0.01 }, { 0, 1.50, 0 })               -- neck
    person.limb(0.065, { -0.16, 1.36, 0 }, { 0.16, 1.36, 0 })            -- shoulders
    person.limb(0.125, { -0.07, 1.26, 0 }, { 0.07, 1.26, 0 })            -- chest
    person.limb(0.115, { -0.035, 1.08, 0 }, { 0.035, 1.08, 0 })          -- waist
    person.limb(0.125, { -0.055, 0.93, 0 }, { 0.055, 0.93, 0 })          -- hips
    person.limb(0.110, { 0, 0.95, 0 }, { 0, 1.25, 0 })                   -- back
    person.limbs(0.055, { 0.21, 1.35, 0 }, { 0.36, 1.13, -0.03 })        -- arms
    person.limbs(0.045, { 0.36, 1.13, -0.03 }, { 0.50, 0.98, 0.10 })
    person.limbs(0.042, { 0.52, 0.96, 0.12 }, { 0.55, 0.93, 0.17 })      -- hands
    person.limbs(0.088, { 0.10, 0.88, 0 }, { 0.13, 0.52, 0.02 })         -- legs
    person.limbs(0.065, { 0.13, 0.52, 0.02 }, { 0.15, 0.10, -0.02 })
    person.limbs(0.050, { 0.15, 0.05, -0.04 }, { 0.18, 0.05, 0.15 })     -- feet
    return union(person.parts)
end

-- A seated statue on a plinth, 1 m tall, with crossed legs and hands in its lap.
function figures.statue(scale)
    scale = scale or 1
    local statue = begin_figure(scale)
    table.insert(statue.parts, cone { radius = 0.36 * scale, radius2 = 0.33 * scale, height = 0.12 * scale }:at { 0, 0.06 * scale, 0 })
    statue.limbs(0.085, { 0.26, 0.205, 0.03 }, { -0.08, 0.200, 0.17 })   -- crossed legs
    statue.limbs(0.100, { 0.10, 0.225, -0.06 }, { 0.23, 0.215, 0.02 })   -- thighs
    statue.limb(0.155, { -0.04, 0.29, -0.04 }, { 0.04, 0.29, -0.04 })    -- hips
    statue.ball(0.165, { 0, 0.40, 0 })                                   -- belly
    statue.limb(0.135, { -0.06, 0.55, -0.01 }, { 0.06, 0.55, -0.01 })    -- chest
    statue.limb(0.075, { -0.15, 0.615, -0.015 }, { 0.15, 0.615, -0.015 }) -- shoulders
    statue.limbs(0.062, { 0.20, 0.60, -0.01 }, { 0.265, 0.40, 0.00 })    -- arms
    statue.limbs(0.050, { 0.265, 0.40, 0.00 }, { 0.07, 0.315, 0.185 })
    statue.ball(0.060, { 0, 0.315, 0.19 })                               -- hands
    statue.limb(0.055, { 0, 0.66, -0.01 }, { 0, 0.74, 0 })               -- neck
    statue.limb(0.098, { 0, 0.79, 0 }, { 0, 0.825, 0 })                  -- head
    statue.limbs(0.018, { 0.100, 0.745, 0 }, { 0.098, 0.83, 0 })         -- ears
    statue.ball(0.018, { 0, 0.785, 0.098 })                              -- nose
    statue.ball(0.052, { 0, 0.935, -0.01 })                              -- topknot
    return union(statue.parts)
end

return figures
