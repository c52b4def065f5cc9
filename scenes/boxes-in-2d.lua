-- Boxes and polygons of different densities drop into a tank in 2D; a chain lies down on the water, a pendulum ploughs it.
-- After the 2D program of Clavet 2005, in which polygons are drawn and dragged through the liquid: here they move freely.
scene {
    title = "Boxes in 2D",
    note = "Cork, wood and the wooden chain float as deep as their densities say, stone and steel sink; the pendulum swings and stops.",
    dimension = 2, spacing = 0.008, depth = 0.3, duration = 5, fps = 30,
    -- Lively: with more near pressure a calm 2D liquid settles into a lattice, which holds small bodies.
    pvfs = { height_error = 0.06, near_ratio = 0.15 },
}

local cork, wood = { density = 200, color = { 0.78, 0.58, 0.34 } }, { density = 600, color = { 0.46, 0.25, 0.10 } }
local stone, steel = { density = 2500, color = { 0.42, 0.42, 0.40 } }, { density = 7800, color = { 0.18, 0.20, 0.24 } }

body {
    name = "tank", friction = 0.1, color = { 0.25, 0.25, 0.27 },
    shape = shell { box { size = { 1.40, 0.55 } }, thickness = 0.03, open = true }, at = { 0, 0.275 },
}
fluid { material = "water", shape = box { size = { 1.40, 0.20 } }, at = { 0, 0.10 } }
emitter { material = "water", shape = disk { radius = 0.025 }, at = { -0.64, 0.70 }, direction = { 0, -1 }, speed = 1, stop = 2.5 }

local function drop(name, matter, shape, place, turn)
    body {
        name = name, shape = shape, at = place, turn = { degrees = turn }, density = matter.density, color = matter.color,
        contact_friction = 0.4, friction = 0.1,
    }
end
local hexagon, wedge = {}, polygon { points = { { -0.09, -0.04 }, { 0.09, -0.04 }, { 0, 0.08 } } }
for i = 1, 6 do hexagon[i] = { 0.06 * math.cos(math.pi / 3 * i), 0.06 * math.sin(math.pi / 3 * i) } end

drop("steel", steel, box { size = { 0.08, 0.08 } }, { -0.54, 0.60 }, 35)
drop("cork", cork, box { size = { 0.14, 0.10 } }, { -0.46, 0.42 }, 20)
drop("hexagon", stone, polygon { points = hexagon }, { -0.38, 0.60 }, 0)
drop("plank", wood, box { size = { 0.26, 0.05 } }, { -0.30, 0.88 }, -10)
drop("wedge", wood, wedge, { 0.56, 0.42 }, 160)

-- Five links, each hinged to the one before; they fold by 70 degrees at most.
for i = 1, 5 do
    local x, y = -0.31 + 0.07 * i, 0.34 + 0.02 * i
    drop("link" .. i, wood, box { size = { 0.064, 0.03 } }, { x, y }, 16)
    if i > 1 then
        joint { kind = "hinge", a = "link" .. i, b = "link" .. i - 1, at = { x - 0.035, y - 0.01 }, lower = -70, upper = 70 }
    end
end

-- A steel disc on a rod; its lowest point lies below the surface.
body {
    name = "pendulum", density = 4000, color = steel.color, friction = 0.1, at = { 0.46, 0.72 }, turn = { degrees = -40 },
    shape = union { box { size = { 0.016, 0.42 } }:at { 0, -0.21 }, sphere { radius = 0.05 }:at { 0, -0.42 } },
}
joint { kind = "hinge", a = "pendulum", at = { 0.46, 0.72 } }

camera { from = { 0, 0.40, 1 }, to = { 0, 0.40, 0 }, fov = 50 }
