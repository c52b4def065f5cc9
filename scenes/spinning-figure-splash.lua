-- Liquid falls on a figure that spins like a dancer and is flung off in sheets, threads and drops.
-- Clavet's thesis 2005, fig. 7.9: a violent meeting of a liquid and a moving body.
scene {
    title = "Splash on a spinning figure",
    note = "The liquid closes round head and shoulders, is carried along, and leaves from elbows and hands in spirals.",
    spacing = 0.0055, duration = 2.2, fps = 30, depth = 0.05, speed = 5,
    pvfs = { height_error = 0.05 },
}

local figures = require "lib.figures"
local milk = material("milk", { opacity = 1 })

body { name = "ground", shape = plane {}, friction = 0.4, color = { 0.16, 0.17, 0.20 } }

-- 34 cm tall. It speeds up to four turns a second within a second: the angle is the integral of that.
local function spin(t)
    local turns = t < 1 and 2 * t * t or 4 * t - 2
    return { turn = { axis = { 0, 1, 0 }, degrees = 360 * turns } }
end
body { name = "figure", shape = figures.person(0.2), motion = spin, friction = 0.8, stickiness = 1000, color = { 0.70, 0.16, 0.10 } }

emitter {
    material = milk, shape = disk { radius = 0.028 }, at = { 0, 0.45, 0 }, direction = { 0, -1, 0 }, speed = 0.7, start = 0, stop = 1.6,
}
sink { shape = box { size = { 3, 3, 3 } }, inverted = true }

camera { from = { 0.25, 0.48, 0.78 }, to = { 0.01, 0.18, 0 }, fov = 38 }
