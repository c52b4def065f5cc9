-- A small world for the tests of files for other programs: two liquids, a tank of glass, a driven paddle, a free ball, a box that leaves,
-- two deformable solids.
scene { title = "Exchange", spacing = 0.02, duration = 0.2, fps = 30, speed = 1, depth = 0.1 }

body { name = "tank", shape = shell { box { size = { 0.3, 0.2, 0.2 } }, thickness = 0.01, open = true }, at = { 0, 0.11, 0 }, opacity = 0.3 }
body { name = "ground", shape = plane {} }
body {
    name = "paddle", shape = box { size = { 0.02, 0.1, 0.16 } }, at = { 0.1, 0.2, 0 },
    motion = function(t) return { at = { 0.1, 0.2 + 0.3 * t, 0 }, turn = { axis = { 0, 0, 1 }, degrees = 600 * t } } end,
}
body { name = "ball", shape = union { sphere { radius = 0.02 }, box { size = { 0.06, 0.01, 0.01 } } }, at = { -0.05, 0.3, 0 }, density = 500 }
body { name = "guest", shape = box { size = { 0.03, 0.03, 0.03 } }, at = { 0, 0.4, 0 } }
solid { name = "jelly", shape = box { size = { 0.05, 0.05, 0.05 } }, cells = { 2, 2, 2 }, at = { -0.25, 0.4, 0.1 }, spin = { 0, 9, 0 } }
solid {
    name = "drop", shape = sphere { radius = 0.03 }, spacing = 0.02, at = { -0.25, 0.3, -0.1 }, young = 5000,
    color_by = "displacement", color = { 0.1, 0.5, 0.2 },
}
fluid { material = "water", shape = box { size = { 0.14, 0.08, 0.18 } }, at = { -0.07, 0.06, 0 } }
fluid { material = "honey", shape = box { size = { 0.1, 0.08, 0.18 } }, at = { 0.08, 0.06, 0 } }
at(0.1, function(world) world:remove_body("guest") end)
camera { from = { 0.5, 0.5, 0.8 }, to = { 0, 0.1, 0 }, fov = 35, aperture = 0.01, turntable = 2 }
