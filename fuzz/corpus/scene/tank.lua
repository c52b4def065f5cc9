scene { dimension = 2, spacing = 0.05, method = "dfsph", period = {1, 0, 0}, gravity = {0, -9.81, 0}, sph = { courant = 0.4 } }
body { shape = shell { of = box { size = {0.4, 0.4} }, thickness = 0.05, open = true }, at = {0, 0.2} }
body { shape = union { sphere { radius = 0.1 }, box { size = {0.1, 0.3, 0.1} }:at { 0.1, 0, 0 } }, motion = function(t) return { at = {math.sin(t), 0, 0} } end }
fluid { material = "water", shape = box { size = {0.2, 0.2} }, at = {0, 0.2}, velocity = function(x, y) return {y, -x} end }
field { acceleration = function(x, y, z, vx, vy, vz, t) return -x, 0, 0 end }
sink { shape = sphere { radius = 0.1 }, at = {1, 0} }
every(0.01, function(world) world:log(world.time, world:particle_count()) end)
