-- A dam breaks in 2D and is measured, as it is in a laboratory: the pressure on the far wall by a point and by a piece of the wall,
-- the level at two places, what flows through the middle, and the front, which the scene finds by itself.
scene {
    title = "A dam break with gauges",
    note = "gauges.svg shows the blow on the wall, 0.3 s after the start, the wave that comes back, and the water coming to rest.",
    dimension = 2, method = "dfsph", spacing = 0.0073, duration = 2, fps = 50,
}

body {
    name = "tank", color = { 0.25, 0.25, 0.27 },
    shape = shell { box { size = { 0.584, 0.50 } }, thickness = 0.03, open = true }, at = { 0.292, 0.25 },
}
fluid { material = material("water", { opacity = 1 }), shape = box { size = { 0.146, 0.292 } }, at = { 0.073, 0.146 }, jitter = 0 }
sink { shape = box { size = { 4, 4 } }, inverted = true } -- what splashes out of the tank

gauge { name = "point", what = "pressure", at = { 0.584, 0.03 }, every = 0.002 }
-- A piece of the wall, 6 cm high: its force is that on 1 m of depth, so that the pressure is force / 0.06 m.
gauge { name = "wall", what = "force", body = "tank", shape = box { size = { 0.1, 0.06 } }, at = { 0.584, 0.03 }, every = 0.002 }
gauge { name = "left", what = "level", line = { { 0.1, 0 }, { 0.1, 0.5 } }, every = 0.01 }
gauge { name = "right", what = "level", line = { { 0.5, 0 }, { 0.5, 0.5 } }, every = 0.01 }
gauge { name = "middle", what = "flow", polygon = { { 0.292, 0 }, { 0.292, 0.5 } }, every = 0.02 }
gauge { name = "floor", what = "speed", line = { { 0.01, 0.015 }, { 0.574, 0.015 } }, points = 21, every = 0.02 }

every(0.02, function(world)
    local speeds, front = world:gauge("floor"), 0
    for k, speed in ipairs(speeds or {}) do
        if speed == speed then front = 0.01 + 0.564 * (k - 1) / 20 end -- NaN where the floor is dry
    end
    world:record("front", front)
end)

camera { from = { 0.292, 0.245, 1 }, to = { 0.292, 0.245, 0 }, fov = 31 }
