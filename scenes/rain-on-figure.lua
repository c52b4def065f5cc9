-- Viscous rain on a character: drops stick where they hit, run down, meet, and leave the hands as threads.
-- Clavet 2005, fig. 8, and thesis fig. 7.4: each drop has about 30 particles.
scene {
    title = "Viscous rain on a figure",
    note = "Drops splash on head and shoulders, join into runs down the body, and drip from the hands.",
    spacing = 0.005, duration = 4, fps = 30, depth = 0.02, speed = 2.5,
    pvfs = { recipe = "drops", height_error = 0.1 },
}
local figures = require "lib.figures"

local rain = material("rain", { base = "glycerin", viscosity = 1, color = { 0.05, 0.20, 0.52 }, absorption = { 110, 40, 8 } })

body { name = "figure", shape = figures.person(0.3), friction = 0.8, stickiness = 18000, color = { 0.75, 0.74, 0.70 } }
body { name = "ground", shape = plane {}, friction = 0.9 }

-- Eight drops at a time, spread evenly by the plastic number so that they neither line up nor meet.
local drop = sphere { radius = 0.0096 }
every(0.03, function(world)
    local first = world.store.drops or 0
    world.store.drops = first + 8
    for n = first + 1, first + 8 do
        local u, v, w = n * 0.8191725 % 1, n * 0.6710436 % 1, n * 0.5497005 % 1
        world:pour {
            material = rain, shape = drop, at = { 0.25 * (u - 0.5), 0.60 + 0.05 * w, 0.09 * (v - 0.5) + 0.01 }, velocity = { 0, -1.5, 0 },
        }
    end
end)

camera { from = { 0.28, 0.48, 0.88 }, to = { 0, 0.26, 0 }, fov = 36 }
