-- Honey poured over a bunny: it folds on the head, runs down in sheets and strings, and pools on the ground.
-- The pose of Clavet 2005, fig. 11. The bunny is put together from balls and capsules, 18 cm high.
scene {
    title = "Honey on a bunny",
    note = "The string of honey folds on the head, sheets run down the back, a pool spreads on the ground.",
    spacing = 0.006, duration = 4, fps = 30,
}

local honey = material("honey")

-- A limb from one point to another.
local function limb(radius, from, to)
    local d = { to[1] - from[1], to[2] - from[2], to[3] - from[3] }
    local length = math.sqrt(d[1]^2 + d[2]^2 + d[3]^2)
    local middle = { (from[1] + to[1]) / 2, (from[2] + to[2]) / 2, (from[3] + to[3]) / 2 }
    local tilt = math.deg(math.acos(d[2] / length))
    return capsule { radius = radius, height = length }:turned { axis = { d[3], 0, -d[1] }, degrees = tilt }:at(middle)
end

local bunny = union {
    sphere { radius = 0.055 }:at { -0.02, 0.055, 0 },            -- haunches
    limb(0.048, { -0.02, 0.06, 0 }, { 0.03, 0.075, 0 }),         -- back and chest
    sphere { radius = 0.036 }:at { 0.058, 0.118, 0 },            -- head
    sphere { radius = 0.022 }:at { 0.084, 0.108, 0 },            -- muzzle
    limb(0.012, { 0.045, 0.145, 0.014 }, { 0.012, 0.195, 0.030 }),  -- ears
    limb(0.012, { 0.045, 0.145, -0.014 }, { 0.012, 0.195, -0.030 }),
    limb(0.018, { 0.055, 0.020, 0.028 }, { 0.085, 0.016, 0.030 }),  -- fore paws
    limb(0.018, { 0.055, 0.020, -0.028 }, { 0.085, 0.016, -0.030 }),
    limb(0.022, { -0.02, 0.022, 0.048 }, { 0.030, 0.018, 0.052 }),  -- hind paws
    limb(0.022, { -0.02, 0.022, -0.048 }, { 0.030, 0.018, -0.052 }),
    sphere { radius = 0.020 }:at { -0.080, 0.060, 0 },           -- tail
}

body { name = "ground", shape = plane { normal = { 0, 1, 0 } }, friction = 0.9 }
body { name = "bunny", shape = bunny, friction = 0.85, stickiness = 400, color = { 0.72, 0.70, 0.68 } }

emitter {
    material = honey, shape = disk { radius = 0.016 }, at = { 0.035, 0.30, 0 }, direction = { 0, -1, 0 },
    speed = 0.5, stop = 3.2,
}

camera { from = { 0.30, 0.24, 0.42 }, to = { 0.0, 0.085, 0 }, fov = 32 }
