-- A paddle wheel stands over a round trough and drives the water round it; a cork shows the stream.
-- Our own scene for the coupling of motors, bodies and water: the other way round than water-wheel.
scene {
    title = "A paddle wheel",
    note = "The motor turns the wheel, its paddles push the water, and after some seconds all of it goes round the trough.",
    method = "dfsph", spacing = 0.0135, duration = 5, fps = 30, speed = 1,
}

local wood, stone, cork = { 0.30, 0.14, 0.05 }, { 0.45, 0.44, 0.42 }, { 0.75, 0.42, 0.15 }
local outer, inner, depth = 0.34, 0.13, 0.10
local middle, width, axle = (outer + inner) / 2, 0.13, 0.215

body {
    name = "trough", shape = shell { cylinder { radius = outer, height = 0.2 }, thickness = 0.03, open = true },
    at = { 0, 0.13, 0 }, color = { 0.7, 0.8, 0.9 }, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
}
body { name = "island", shape = cylinder { radius = inner, height = 0.25 }, at = { 0, 0.125, 0 }, color = stone }
body { name = "ground", shape = plane {} }
-- Tinted: so little water would have no colour of its own.
local water = material("water", { absorption = { 7, 2.2, 0.8 } })
fluid { material = water, shape = cylinder { radius = outer, height = depth }, at = { 0, 0.03 + depth / 2, 0 }, jitter = 0 }

-- Six paddles on a hub. It turns about the x axis, as a free body on a hinge: the water holds it back as it pushes the water.
local parts = { cylinder { radius = 0.025, height = width + 0.02, turn = { degrees = 90 } } }
for i = 1, 6 do
    table.insert(parts, box { size = { width, 0.13, 0.014 } }:at { 0, 0.075, 0 }:turned { axis = { 1, 0, 0 }, degrees = 60 * i })
end
body { name = "wheel", shape = union(parts), at = { middle, axle, 0 }, density = 600, color = wood }
joint {
    name = "axle", kind = "hinge", a = "wheel", at = { middle, axle, 0 }, axis = { 1, 0, 0 }, motor_speed = 5, motor_force = 2,
}
local bar = cylinder { radius = 0.01, height = 0.16, turn = { degrees = 90 } }
body { name = "bar", shape = bar, at = { 0.06, axle, 0 }, color = stone }

body { name = "cork", shape = sphere { radius = 0.03 }, at = { -middle, 0.14, 0 }, density = 240, color = cork }

sink { shape = box { size = { 3, 3, 3 } }, inverted = true } -- what splashes out of the trough
camera { from = { 0.40, 0.75, 0.85 }, to = { 0.02, 0.09, 0 }, fov = 36 }
