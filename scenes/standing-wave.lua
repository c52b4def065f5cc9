-- A standing wave in a tank, half a wave length across, for studies of convergence: water at rest that gets the velocity of the
-- first mode of linear theory (Lamb 1932, art. 228). After one period, the duration, it should be as at the start: its momentum
-- along x by theory is that of the start, and what is missing of it is the method's error of phase and its loss.
local L, H, a = 1, 0.5, 0.02 -- length, depth, height of the wave [m]
local k = math.pi / L
local omega = math.sqrt(9.81 * k * (1 - math.exp(-2 * k * H)) / (1 + math.exp(-2 * k * H)))
local period = 2 * math.pi / omega

scene {
    title = "Standing wave",
    note = "Water leans from one wall to the other and back, once.",
    dimension = 2, method = "dfsph", spacing = 0.02, duration = period, fps = 60 / period, speed = 0.1,
}

local function cosh(x) return 0.5 * (math.exp(x) + math.exp(-x)) end
local function sinh(x) return 0.5 * (math.exp(x) - math.exp(-x)) end

body {
    name = "tank", color = { 0.25, 0.25, 0.27 },
    shape = shell { box { size = { L, 0.8 } }, thickness = 0.1, open = true }, at = { 0.5 * L, 0.4 },
}
fluid {
    material = material("water", { opacity = 1 }), shape = box { size = { L, H } }, at = { 0.5 * L, 0.5 * H },
    velocity = function(x, y)
        local v = a * omega / sinh(k * H)
        return { v * cosh(k * y) * math.sin(k * x), -v * sinh(k * y) * math.cos(k * x) }
    end,
}

camera { from = { 0.5, 0.35, 1.4 }, to = { 0.5, 0.35, 0 }, fov = 35 }
