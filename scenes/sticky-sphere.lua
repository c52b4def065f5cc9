-- The same oil is poured over two spheres: one holds it, and a drop hangs below for seconds; from the other it runs off at once.
-- Clavet 2005, sect. 6.3 and fig. 7: adhesion to a surface, and what is missing without it.
scene {
    title = "A sticky sphere and a plain one",
    note = "Left: the oil gathers underneath and hangs there, until a second helping pulls it down. Right: not sticky, nothing stays.",
    spacing = 0.0035, duration = 6, fps = 30, speed = 1.6,
    pvfs = { recipe = "drops", support = 3, near_ratio = 1, height_error = 0.05 },
}

local oil = material("oil", { density = 1000, viscosity = 0.2, color = { 0.70, 0.42, 0.06 }, absorption = { 8, 45, 260 } })

-- Two helpings: the first is what the sphere can bear, at 6 times its weight close by; the second is too much.
local function pour_over(name, x, friction, stickiness, color)
    body {
        name = name, shape = sphere { radius = 0.028 }, at = { x, 0.12, 0 }, color = color,
        friction = friction, stickiness = stickiness, stick_distance = 0.012, -- holds a coat of three particles
    }
    for _, time in ipairs { { 0, 1.8 }, { 4.4, 5 } } do
        emitter {
            material = oil, shape = disk { radius = 0.009 }, at = { x, 0.162, 0 }, direction = { 0, -1, 0 }, speed = 0.15,
            start = time[1], stop = time[2],
        }
    end
end
pour_over("sticky", -0.055, 0.3, 20000, { 0.75, 0.72, 0.68 })
pour_over("plain", 0.055, 0, 0, { 0.20, 0.30, 0.42 })
body { name = "ground", shape = plane {}, friction = 0.8 }

camera { from = { 0.04, 0.13, 0.36 }, to = { 0, 0.08, 0 }, fov = 31 }
