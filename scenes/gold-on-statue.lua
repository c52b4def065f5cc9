-- Liquid gold showers a statue: long filaments dress it in gold, which slides down and spreads round the plinth.
-- Clavet's thesis 2005, fig. 7.7.
scene {
    title = "Liquid gold on a statue",
    note = "Long filaments dress head, shoulders and arms in gold, which slides down in sheets and spreads round the plinth.",
    spacing = 0.005, duration = 3.5, fps = 30, depth = 0.03, speed = 2,
    pvfs = { recipe = "drops", height_error = 0.1 },
}
local figures = require "lib.figures"

-- Molten gold runs like water. This one is as thick for its weight as honey, as in the picture.
local gold = material("molten-gold", { viscosity = 150 })

local statue, plinth = figures.statue(0.34)
local stone = { 0.20, 0.21, 0.22 }
body { name = "statue", shape = statue, friction = 0.9, stickiness = 6000, color = stone }
body { name = "plinth", shape = plinth, friction = 0.9, stickiness = 6000, color = stone }
body { name = "ground", shape = plane {}, friction = 0.9, color = { 0.22, 0.20, 0.20 } }

-- A shower of five jets: one on the head, the others on shoulders, arms and knees. Slower ones would tear before they arrive.
local jets = { { 0, 0.008 }, { -0.066, 0.005 }, { 0.066, -0.005 }, { -0.085, 0.035 }, { 0.080, 0.045 } }
for _, jet in ipairs(jets) do
    emitter {
        material = gold, shape = disk { radius = 0.009 }, at = { jet[1], 0.45, jet[2] }, direction = { 0, -1, 0 },
        speed = 1, stop = 1.7,
    }
end

camera { from = { 0.20, 0.34, 0.76 }, to = { 0, 0.172, 0 }, fov = 33 }
