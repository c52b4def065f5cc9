-- A rubber duck, 13 cm long, broad and flat below so that it does not turn over: local duck = require "lib.duck"
-- It sits on y = 0 and looks along +x. Meshes need scene { ... } before them.
local sculpt = require "lib.sculpt"

return function()
    local limb = sculpt.limb
    local limbs = {
        limb(0.030, { -0.025, 0.030, -0.020 }, { 0.025, 0.030, -0.018 }), -- hull, of two halves
        limb(0.030, { -0.025, 0.030, 0.020 }, { 0.025, 0.030, 0.018 }),
        limb(0.020, { -0.045, 0.045, 0 }, { -0.075, 0.068, 0 }, 0.008),   -- tail
        limb(0.020, { 0.030, 0.050, 0 }, { 0.036, 0.075, 0 }),            -- neck
        limb(0.026, { 0.038, 0.088, 0 }),                                 -- head
        limb(0.010, { 0.060, 0.084, -0.004 }, { 0.073, 0.081, -0.004 }),  -- beak
        limb(0.010, { 0.060, 0.084, 0.004 }, { 0.073, 0.081, 0.004 }),
    }
    return sculpt.mesh(limbs, { cell = 0.004, blend = 0.004 })
end
