-- A viscous liquid is shot into a narrow box: the wave climbs the far wall, folds back over itself and buries the fold.
-- Clavet's thesis 2005, fig. 7.3.
scene {
    title = "Folding wave",
    note = "The wave runs to the far wall, rises, folds over and closes on the liquid below, while the box fills.",
    spacing = 0.006, duration = 4, fps = 30, depth = 0.19,
    pvfs = { height_error = 0.05 },
}

local thick = material("glycerin", { viscosity = 3, color = { 0.75, 0.25, 0.10 } })

body {
    name = "box", shape = shell { box { size = { 0.30, 0.20, 0.08 } }, thickness = 0.01, open = true },
    at = { 0, 0.11, 0 }, friction = 0.5, color = { 0.7, 0.8, 0.9 }, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
}

-- A slot as long as the box is wide, at the upper left.
local slot = polygon { points = { { -0.036, -0.012 }, { 0.036, -0.012 }, { 0.036, 0.012 }, { -0.036, 0.012 } } }
emitter {
    material = thick, shape = slot:turned { axis = { 0, 1, 0 }, degrees = 90 }, at = { -0.12, 0.22, 0 },
    direction = { 1, -0.8, 0 }, speed = 1.5, stop = 1.7,
}

camera { from = { 0.08, 0.24, 0.56 }, to = { 0, 0.115, 0 }, fov = 30 }
