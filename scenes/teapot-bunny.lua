-- Cocoa flows from the spout of a teapot over a bunny, and leaves it in drops and threads.
-- Clavet 2005, fig. 11, and thesis fig. 7.2: the liquid follows the geometry of the spout before it flows over the bunny.
scene {
    title = "A teapot over a bunny",
    note = "The pot tips and pours; the stream parts on the ears, runs down the back and drips from the chin.",
    spacing = 0.004, duration = 4, fps = 30, depth = 0.10, speed = 1.8,
    pvfs = { recipe = "drops", height_error = 0.1 },
}
local figures = require "lib.figures"

local cocoa = material("cocoa", { base = "milk", viscosity = 0.2, color = { 0.16, 0.06, 0.025 } })

local pot, filling = figures.teapot()
local place = { -0.20, 0.28, 0 }
body {
    name = "teapot", shape = pot, friction = 0.1, color = { 0.08, 0.24, 0.32 },
    motion = {
        { time = 0, at = place }, { time = 0.8, turn = { degrees = -38 } }, { time = 2.4, turn = { degrees = -56 } },
        { time = 3.6, turn = { degrees = -68 } },
    },
}
fluid { material = cocoa, shape = filling, at = place }

body {
    name = "bunny", shape = mesh { stock = "bunny", size = 0.2, center = "ground", turn = { axis = { 0, 1, 0 }, degrees = 180 } },
    friction = 0.5, stickiness = 400, color = { 0.72, 0.70, 0.68 },
}
body { name = "ground", shape = plane {}, friction = 0.8 }

camera { from = { 0.10, 0.34, 0.80 }, to = { -0.05, 0.20, 0 }, fov = 33 }
