-- Five ducks, from 100 to 300 kg/m^3, ride on the waves that a swinging board makes.
-- Our own scene for bodies much lighter than what carries them.
local duck = require "lib.duck"
scene {
    title = "Ducks on waves",
    note = "The ducks bob as the waves pass below them; the lighter the higher they ride, and none turns over.",
    method = "dfsph", spacing = 0.016, duration = 4, fps = 30, speed = 1.5,
}

body {
    name = "tank", shape = shell { box { size = { 1.088, 0.30, 0.384 } }, thickness = 0.035, open = true },
    at = { 0, 0.185, 0 }, color = { 0.7, 0.8, 0.9 }, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
}
body { name = "ground", shape = plane {} }
-- Tinted: so little water would have no colour of its own.
local water = material("water", { absorption = { 5, 1.6, 0.6 } })
fluid { material = water, shape = box { size = { 1.088, 0.16, 0.384 } }, at = { 0, 0.115, 0 }, jitter = 0 }

-- Duck 1 is the lightest. All look towards the board, but none quite.
local shape = duck()
local places = { { -0.20, -0.08, 20 }, { -0.05, 0.09, -15 }, { 0.12, -0.07, 10 }, { 0.24, 0.09, 35 }, { 0.40, -0.06, -25 } }
for i, place in ipairs(places) do
    body {
        name = "duck" .. i, shape = shape, at = { place[1], 0.185, place[2] },
        turn = { axis = { 0, 1, 0 }, degrees = 180 + place[3] }, density = 50 + 50 * i, friction = 0.1,
        color = { 0.85, 0.50, 0.03 },
    }
end

-- The board hangs in the water on the left and swings about its upper edge.
local function board(t)
    local swing = t > 0.5 and 9 * (1 - math.cos(2 * math.pi * 1.2 * (t - 0.5))) or 0
    return { turn = { degrees = swing } }
end
body {
    name = "board", shape = box { size = { 0.02, 0.28, 0.35 } }:at { 0, -0.14, 0 }, at = { -0.49, 0.345, 0 }, motion = board,
    color = { 0.35, 0.36, 0.38 },
}
sink { shape = box { size = { 3, 3, 3 } }, inverted = true } -- what splashes out of the tank

camera { from = { 0.42, 0.52, 1.08 }, to = { 0.02, 0.13, 0 }, fov = 35 }
