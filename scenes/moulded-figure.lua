-- A mould is filled with liquid, springs are put between its particles, the mould is taken away: an elastic figure stands there.
-- Clavet's thesis 2005, fig. 5.3.
scene {
    title = "A moulded figure",
    note = "Until 0.4 s it is a liquid in a glass mould. Then it is jelly: it sags, wobbles, is bent by a paddle and springs back.",
    spacing = 0.0035, duration = 3.2, fps = 30, depth = 0.15,
    pvfs = { height_error = 0.05, kernel = "paper" },
}

local figures = require "lib.figures"
local jelly = material("jelly", { shear_modulus = 40000, color = { 0.65, 0.07, 0.09 }, opacity = 1 })
local figure = figures.statue(0.15):at { 0, -0.012, 0 }

body { name = "ground", shape = plane {}, friction = 1, stickiness = 300000, color = { 0.30, 0.33, 0.36 } } -- the figure is glued to it
body { name = "mould", shape = shell { figure, thickness = 0.004 }, color = { 0.75, 0.85, 0.9 }, opacity = 0.15 }
fluid { material = jelly, shape = figure, jitter = 0.1 }

at(0.4, function(world)
    world:add_springs(jelly)
    world:remove_body("mould")
end)

-- A paddle pushes the head to the side, and lets go.
body {
    name = "paddle", shape = box { size = { 0.014, 0.05, 0.10 } }, at = { -0.14, 0.120, 0 }, friction = 0.2, color = { 0.35, 0.36, 0.38 },
    motion = {
        { time = 1.0 }, { time = 1.5, at = { 0.005, 0.120, 0 } }, { time = 1.8 }, { time = 1.95, at = { -0.14, 0.120, 0 } },
    },
}

camera { from = { 0.10, 0.18, 0.38 }, to = { -0.005, 0.075, 0 }, fov = 29 }
