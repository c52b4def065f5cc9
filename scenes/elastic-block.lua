-- A block of jelly is squashed under a plate and springs back.
-- Clavet 2005, sect. 5.1; thesis fig. 5.3: the springs are a fixed set, so the block remembers its shape.
scene {
    title = "Elastic block", note = "The plate presses the block to half its height; when it lifts, the block comes back and wobbles.",
    spacing = 0.008, duration = 4, fps = 30,
    pvfs = { kernel = "paper" },
}

local jelly = material("jelly", { absorption = { 1.5, 24, 17 } })

body { name = "ground", shape = plane { normal = { 0, 1, 0 } }, friction = 0.9 }
fluid { material = jelly, shape = box { size = { 0.16, 0.12, 0.12 } }, at = { 0, 0.06, 0 } }
at(0, function(world) world:add_springs(jelly) end)

-- Waits, comes down, holds, and is pulled away fast.
local function press(t)
    local y = 0.145
    if t > 0.4 and t <= 2.0 then y = y - 0.075 * math.min(1, (t - 0.4) / 1.0) end
    if t > 2.0 then y = y - 0.075 + 0.6 * math.min(t - 2.0, 0.25) end
    return { at = { 0, y, 0 } }
end
body {
    name = "plate", shape = box { size = { 0.24, 0.015, 0.20 } }, motion = press, friction = 0.5,
    color = { 0.7, 0.8, 0.9 }, opacity = 0.15,
}

camera { from = { 0.26, 0.22, 0.50 }, to = { 0, 0.06, 0 }, fov = 30 }
