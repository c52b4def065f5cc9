-- A sheet of thick syrup folds back and forth while it fills a narrow box.
-- Clavet's thesis 2005, fig. 7.3. A little elasticity lets so thin a sheet stand up long enough to fold.
scene {
    title = "Folding wave",
    note = "The sheet lays itself down in folds; each fold sinks into the ones below.",
    spacing = 0.006, duration = 4, fps = 30,
    pvfs = { height_error = 0.05 },
}

local thick = material("syrup", { flow_stretch = 60, flow_compress = 15, color = { 0.75, 0.25, 0.10 }, opacity = 1 })

body {
    name = "box", shape = shell { box { size = { 0.24, 0.16, 0.08 } }, thickness = 0.01, open = true },
    at = { 0, 0.09, 0 }, friction = 0.5, color = { 0.7, 0.8, 0.9 }, opacity = 0.1,
}

-- A slot as long as the box is wide.
local slot = polygon { points = { { -0.012, -0.036 }, { 0.012, -0.036 }, { 0.012, 0.036 }, { -0.012, 0.036 } } }
emitter { material = thick, shape = slot, at = { 0, 0.22, 0 }, direction = { 0, -1, 0 }, speed = 0.5, stop = 3.5 }

camera { from = { 0.10, 0.26, 0.50 }, to = { 0, 0.11, 0 }, fov = 36 }
