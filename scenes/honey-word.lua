-- Honey in the letters of a word: each letter of the board is filled by a jet that has its outline.
-- The board is a difference of a rounded box and a text, the bowl one of half a ball and a smaller ball.
scene {
    title = "A word of honey",
    note = "Jets in the shape of letters fill the letters that were cut into a board; the bowl has the rest.",
    spacing = 0.003, duration = 1.5, fps = 30,
}

local honey = material("honey")
local flat = { axis = { 1, 0, 0 }, degrees = -90 }
local word = text { "honey", font = "dejavu-sans-bold", height = 0.06, depth = 0.03, turn = flat }

body { name = "ground", shape = plane { normal = { 0, 1, 0 } }, friction = 0.9 }
body {
    -- The word is 12 mm deep, and sticks out above.
    name = "board", shape = difference { box { size = { 0.32, 0.024, 0.13 }, rounding = 0.008 }, word:at { 0, 0.015, 0 } },
    at = { 0, 0.012, 0.02 }, friction = 0.9, color = { 0.30, 0.15, 0.07 },
}
body {
    name = "bowl",
    shape = difference { intersection { sphere { radius = 0.06 }, plane {}, plane { normal = { 0, -1, 0 } }:at { 0, -0.056, 0 } },
                         sphere { radius = 0.053 } },
    at = { 0.07, 0.056, -0.13 }, friction = 0.9, color = { 0.75, 0.74, 0.70 },
}
body {
    name = "lump", shape = box { size = { 0.036, 0.03, 0.036 }, rounding = 0.008 }, color = { 0.9, 0.9, 0.88 },
    at = { -0.07, 0.015, -0.10 }, turn = { axis = { 0, 1, 0 }, degrees = 30 },
}

fluid {
    material = honey, at = { 0.07, 0.056, -0.13 },
    shape = intersection { sphere { radius = 0.0515 }, plane {}:at { 0, -0.012, 0 } },
}
emitter {
    material = honey, at = { 0, 0.05, 0.02 }, turn = { axis = { 1, 0, 0 }, degrees = 90 }, speed = 0.12, stop = 0.1,
    shape = text { "honey", font = "dejavu-sans-bold", height = 0.06 }:turned { axis = { 1, 0, 0 }, degrees = 180 },
}

camera { from = { -0.12, 0.26, 0.36 }, to = { 0.005, 0.015, -0.025 }, fov = 32 }
