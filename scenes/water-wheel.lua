-- A stream of water turns a wheel: it falls on the blades and pushes them down one after the other.
-- Our own scene for what the thesis of Clavet 2005, chap. 6, calls coupling both ways: water turns the wheel, the wheel throws the water.
scene {
    title = "Water wheel",
    note = "The wheel starts, gathers speed until the brake of the mill holds what the water pulls, and keeps turning.",
    spacing = 0.008, duration = 6, fps = 30, depth = 0.06, speed = 2,
    pvfs = { height_error = 0.05 },
}

local wood, stone = { 0.30, 0.14, 0.05 }, { 0.45, 0.44, 0.42 }
local radius, width, blades = 0.16, 0.11, 8
local upright = { axis = { 1, 0, 0 }, degrees = 90 }

-- Radial blades whose outer ends are bent towards the stream, to hold some of the water.
local parts = { cylinder { radius = 0.06, height = width, turn = upright } }
for i = 1, blades do
    local angle = 360 * i / blades
    local foot = box { size = { 0.075, 0.008, width } }:at { 0.09, 0, 0 }
    local lip = box { size = { 0.045, 0.008, width } }:turned { degrees = 50 }:at { 0.139, 0.016, 0 }
    table.insert(parts, union { foot, lip }:turned { degrees = angle })
end
for _, side in ipairs { -1, 1 } do
    table.insert(parts, torus { radius = radius - 0.008, radius2 = 0.006, turn = upright }:at { 0, 0, side * width / 2 })
end
body { name = "wheel", shape = union(parts), at = { 0, 0.22, 0 }, density = 600, friction = 0.1, color = wood }
-- The mill brakes it, with a constant torque.
joint { name = "axle", kind = "hinge", a = "wheel", at = { 0, 0.22, 0 }, axis = { 0, 0, 1 }, motor_force = 0.32 }

body { name = "post", shape = box { size = { 0.04, 0.24, 0.02 } }, at = { 0, 0.12, -0.075 }, color = stone }
body { name = "axle", shape = cylinder { radius = 0.012, height = 0.03, turn = upright }, at = { 0, 0.22, -0.075 }, color = stone }
body { name = "ground", shape = plane {}, friction = 0.5 }

local chute = box { size = { 0.20, 0.010, 0.10 } }
body { name = "chute", shape = chute, at = { -0.13, 0.415, 0 }, turn = { degrees = -5 }, color = wood }
-- Tinted: so little water would have no colour of its own.
local water = material("water", { absorption = { 45, 13, 5 } })
emitter {
    material = water, shape = disk { radius = 0.026 }, at = { -0.22, 0.46, 0 }, direction = { 1, -0.1, 0 }, speed = 0.9,
}

-- The water runs away over the edge of the picture.
sink { shape = box { size = { 1.2, 2, 0.6 } }, at = { 0.1, 0.9, 0 }, inverted = true }

camera { from = { 0.36, 0.44, 0.90 }, to = { 0.03, 0.20, 0 }, fov = 36 }
