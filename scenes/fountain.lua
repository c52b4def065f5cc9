-- A fountain: the jet hits a small plate, leaves it as a sheet, tears into filaments and falls in drops.
-- Clavet 2005, fig. 1. What reaches the bottom of the basin is taken out, so the number of particles levels off.
scene {
    title = "Fountain",
    note = "A sheet round the plate, holes and filaments at its rim, drops that fall into the basin.",
    spacing = 0.0055, duration = 3, fps = 30, speed = 2.1,
    pvfs = { height_error = 0.05 },
}

local basin = shell { cylinder { radius = 0.48, height = 0.06 }, thickness = 0.02, open = true }

body { name = "basin", shape = basin, at = { 0, 0.05, 0 }, friction = 0.3, color = { 0.30, 0.29, 0.28 } }
body { name = "nozzle", shape = cylinder { radius = 0.038, height = 0.20 }, at = { 0, 0.12, 0 }, color = { 0.30, 0.29, 0.28 } }
body { name = "plate", shape = cylinder { radius = 0.040, height = 0.012 }, at = { 0, 0.312, 0 }, color = { 0.30, 0.30, 0.32 } }

-- Calm enough for a sheet; tinted, since so little water would have no colour of its own.
local water = material("water", { smoothing = 15, absorption = { 40, 11, 4 } })
emitter { material = water, shape = disk { radius = 0.033 }, at = { 0, 0.224, 0 }, direction = { 0, 1, 0 }, speed = 2.1 }

-- The drain, and what splashes over the edge.
sink { shape = cylinder { radius = 0.48, height = 0.02 }, at = { 0, 0.03, 0 } }
sink { shape = cylinder { radius = 0.54, height = 2 }, at = { 0, 1, 0 }, inverted = true }

camera { from = { 0.46, 0.52, 0.88 }, to = { 0, 0.155, 0 }, fov = 35 }
