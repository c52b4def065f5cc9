-- Four beams, clamped at the wall, bend under their own weight: springs, green, cauchy and hybrid.
-- The same mesh and the same modulus; models of small displacements grow longer when they bend, green does not.
scene {
    title = "A row of beams",
    note = "From the left: springs, green, cauchy, hybrid. Colours are von Mises' stress, which springs do not have.",
    spacing = 0.02, duration = 2.5, fps = 30,
}

for k, model in ipairs { "hybrid", "cauchy", "green", "spring" } do
    local z = 0.16 * (k - 2.5)
    solid {
        name = model, model = model, shape = box { size = { 0.5, 0.06, 0.06 } }, cells = { 24, 3, 3 }, at = { 0.25, 0.5, z },
        young = 400000, poisson = 0.3, damping = 0.002, fixed = box { size = { 0.02, 0.2, 0.1 } }:at { -0.0099, 0.5, z },
        color_by = "stress", color_max = 30000,
    }
end
body { name = "wall", shape = box { size = { 0.06, 0.5, 0.8 } }, at = { -0.031, 0.4, 0 } }
body { name = "ground", shape = plane {} }

camera { from = { 1.05, 0.75, 0.95 }, to = { 0.2, 0.36, 0 }, fov = 34 }
