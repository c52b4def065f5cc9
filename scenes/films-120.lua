-- Liquid films between four sticky posts in 2D, without gravity: three films meet at 120 degrees (Clavet 2005, thesis fig. 4.13).
-- Nothing in the method knows of angles. The films start as a cross, whose four arms meet in one point; surface tension makes
-- the whole net as short as it can be, so the point splits in two.
scene {
    title = "Films at 120 degrees",
    note = "The crossing splits into two triple points, which move apart until all films meet at 120 degrees.",
    dimension = 2, spacing = 0.005, gravity = { 0, 0, 0 }, speed = 0.5, duration = 4, fps = 30,
    pvfs = { recipe = "drops", near_ratio = 2.5 }, -- the ratio of the paper: calm films of even thickness
}

local soap = material("soap", { base = "water", viscosity = 0.5, color = { 0.20, 0.45, 0.75 } })
local x, y = 0.12, 0.08 -- of the posts
local z_axis = { 0, 0, 1 }

local film = box { size = { 2 * math.sqrt(x^2 + y^2), 0.015 } }
local tilt = math.deg(math.atan(y, x))
local liquid = { film:turned { axis = z_axis, degrees = tilt }, film:turned { axis = z_axis, degrees = -tilt } }

for _, place in ipairs { { x, y }, { -x, y }, { -x, -y }, { x, -y } } do
    body { shape = sphere { radius = 0.01 }, at = place, stickiness = 1e4, friction = 1 }
    table.insert(liquid, sphere { radius = 0.02 }:at(place)) -- a wet post
end
fluid { material = soap, shape = union(liquid) }

camera { from = { 0, 0, 1 }, to = { 0, 0, 0 }, fov = 12.5 }
