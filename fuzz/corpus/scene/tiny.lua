scene { title = "Tiny", spacing = 0.05, duration = 0.1 }
local honey = material("honey", { viscosity = 3, springs = "plastic", shear_modulus = 100 })
body { name = "floor", shape = plane { normal = {0, 1, 0} } }
body { name = "ball", shape = sphere { radius = 0.08 }, at = {0.3, 0.2, 0}, fixed = false }
fluid { material = honey, shape = box { size = {0.12, 0.12, 0.12} }, at = {0, 0.1, 0} }
emitter { material = "water", shape = disk { radius = 0.06 }, at = {0, 0.6, 0}, direction = {0, -1, 0}, speed = 1 }
at(0.05, function(world) world:stop_emitters() world.store.n = 1 end)
camera { from = {1, 1, 1}, to = {0, 0, 0} }
