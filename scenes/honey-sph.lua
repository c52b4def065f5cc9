-- Honey on pancakes: it heaps up under the jet, the heap creeps to the edge, and the honey hangs and runs down the side.
-- Our own scene for implicit viscosity (Weiler, Koschier, Brand and Bender 2018): explicitly, 10 Pa s would need steps of microseconds.
scene {
    title = "Honey on pancakes",
    note = "A hump stands under the jet as long as it runs; then it sinks in, while a thick curtain creeps down to the plate.",
    method = "dfsph", spacing = 0.0025, duration = 3.5, fps = 30, depth = 0.02, speed = 1.2,
    dfsph = { viscosity = "implicit" },
}

local honey = material("honey")
local crust = { 0.60, 0.34, 0.12 }

body { name = "plate", shape = cylinder { radius = 0.09, height = 0.006 }, at = { 0, 0.003, 0 }, friction = 1, color = { 0.85, 0.85, 0.82 } }
for i = 0, 2 do
    local place = { 0.004 * math.sin(2 * i), 0.012 + 0.012 * i, 0.004 * math.cos(3 * i) }
    body { shape = cylinder { radius = 0.052 - 0.002 * i, height = 0.012 }, at = place, friction = 1, color = crust }
end
body { name = "table", shape = plane {}, friction = 1, color = { 0.10, 0.14, 0.20 } }

emitter {
    material = honey, shape = disk { radius = 0.008 }, at = { 0.005, 0.10, 0 }, direction = { 0, -1, 0 }, speed = 0.45, stop = 2.2,
}

camera { from = { 0.09, 0.15, 0.23 }, to = { 0, 0.042, 0 }, fov = 34 }
