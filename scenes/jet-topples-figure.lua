-- A jet of water hits a bronze figure in the chest and throws it off its ledge.
-- Clavet's thesis 2005, fig. 7.10: the jet is strong enough to tip the figure into the abyss.
scene {
    title = "A jet topples a figure",
    note = "The jet breaks on the chest; the figure leans back, loses its balance and goes over the edge, and the jet shoots past.",
    spacing = 0.006, duration = 2.2, fps = 30, depth = 0.05, speed = 4,
    pvfs = { height_error = 0.05 },
}

local figures = require "lib.figures"

body { name = "ground", shape = plane {}, friction = 0.5 }
body {
    name = "ledge", shape = box { size = { 0.40, 0.30, 0.26 } }, at = { -0.10, 0.15, 0 }, friction = 0.3, contact_friction = 0.7,
    color = { 0.36, 0.33, 0.30 },
}

-- 34 cm tall and hollow: 3 kg, which the 4 N of the jet cannot push away but can tip over its heels, slowly at first.
body {
    name = "figure", shape = figures.person(0.2):turned { axis = { 0, 1, 0 }, degrees = -90 }, at = { 0.03, 0.3005, 0 },
    density = 6000, friction = 0.2, contact_friction = 0.7, color = { 0.60, 0.36, 0.17 }, metalness = 1, roughness = 0.35,
}

body {
    name = "nozzle", shape = shell { cylinder { radius = 0.018, height = 0.10 }, thickness = 0.004, open = true },
    at = { -0.33, 0.50, 0 }, turn = { degrees = -75 }, color = { 0.30, 0.31, 0.33 },
}
-- Tinted: so little water would have no colour of its own.
local water = material("water", { absorption = { 45, 13, 5 } })
emitter {
    material = water, shape = disk { radius = 0.014 }, at = { -0.29, 0.511, 0 }, direction = { 1, 0.27, 0 }, speed = 2.6, stop = 1.8,
}
sink { shape = box { size = { 5, 3, 5 } }, inverted = true }

camera { from = { 0.45, 0.62, 1.00 }, to = { 0.12, 0.31, 0 }, fov = 36 }
