-- A jet of mud bursts on the chest of a figure, coats it, and flies on behind it in sheets and strings.
-- Clavet's thesis 2005, fig. 1.3.
scene {
    title = "A jet of mud on a figure",
    note = "The mud bursts on the chest, flies over the shoulders in a sheet that tears, coats the body and heaps up at its feet.",
    spacing = 0.005, duration = 2.4, fps = 30, depth = 0.05, speed = 5,
    pvfs = { height_error = 0.05 },
}
local figures = require "lib.figures"

-- Wetter than the library's: its yield stress is 15 Pa instead of 60.
local mud = material("mud", { viscosity = 0.2, shear_modulus = 150 })

body { name = "ground", shape = plane {}, friction = 0.9 }
body {
    name = "figure", shape = figures.person(0.3):turned { axis = { 0, 1, 0 }, degrees = -90 }, friction = 0.8, stickiness = 8000,
    color = { 0.42, 0.46, 0.34 },
}
body {
    name = "nozzle", shape = shell { cylinder { radius = 0.022, height = 0.10 }, thickness = 0.005, open = true },
    at = { -0.36, 0.382, 0 }, turn = { degrees = -86.5 }, color = { 0.30, 0.31, 0.33 },
}
emitter {
    material = mud, shape = disk { radius = 0.017 }, at = { -0.315, 0.385, 0 }, direction = { 1, 0.06, 0 }, speed = 5, stop = 1.8,
}
sink { shape = box { size = { 3, 3, 3 } }, inverted = true }

camera { from = { -0.42, 0.46, 0.85 }, to = { -0.06, 0.27, 0 }, fov = 36 }
