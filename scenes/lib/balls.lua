-- A tank of water with three balls of 400, 1000 and 1400 kg/m^3, for `three-balls` and `three-balls-weightless`.
local blue, green, red = { 0.04, 0.12, 0.55 }, { 0.06, 0.40, 0.08 }, { 0.60, 0.05, 0.03 }
local glass = { 0.7, 0.8, 0.9 }

return function(keys)
    body {
        name = "tank", shape = shell { box { size = { 1.05, 0.78, 0.39 } }, thickness = 0.06, open = true }, at = { 0, 0.45, 0 },
        color = glass, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
    }
    if keys.lid then
        body {
            name = "lid", shape = box { size = { 1.17, 0.06, 0.51 } }, at = { 0, 0.87, 0 },
            color = glass, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
        }
    end
    body { name = "ground", shape = plane {} }
    -- Tinted: so little water would have no colour of its own.
    local water = material("water", { density = 1000, absorption = { 2.4, 0.7, 0.25 } })
    fluid { material = water, shape = box { size = { 1.05, 0.6, 0.39 } }, at = { 0, 0.36, 0 }, jitter = 0 }
    for i, ball in ipairs { { "blue", 400, blue }, { "green", 1000, green }, { "red", 1400, red } } do
        body {
            name = ball[1], shape = sphere { radius = 0.1 }, at = { 0.33 * (i - 2), 0.36, 0 }, fixed = true, density = ball[2],
            color = ball[3],
        }
    end
    -- Held until the water has closed round them.
    at(0.3, function(world)
        for _, name in ipairs { "blue", "green", "red" } do world:set_free(name, true) end
    end)
    camera { from = { 0.35, 0.80, 1.85 }, to = { 0, 0.43, 0 }, fov = 34 }
end
