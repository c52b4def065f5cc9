-- A long drop without weight: surface tension pulls it together, it swings through flat and long and comes to rest round.
-- Clavet 2005, fig. 3. The tension is not put in, it comes from the two densities; a wide support keeps the drop from freezing out
-- of round.
scene {
    title = "Oscillating drop",
    note = "Long, flat, long again, each time less, and at the end a ball.",
    spacing = 0.01, duration = 6, fps = 30, gravity = { 0, 0, 0 }, speed = 1,
    pvfs = { recipe = "drops", support = 3.5, near_ratio = 1 },
}

local water = material("water", { beta = 0, smoothing = 0, absorption = { 14, 4.5, 1.6 } })
local long = capsule { radius = 0.06, height = 0.09 }:turned { axis = { 0, 0, 1 }, degrees = 90 }

fluid { material = water, shape = long, jitter = 0.4 }

camera { from = { 0, 0.12, 0.5 }, to = { 0, 0, 0 }, fov = 30 }
