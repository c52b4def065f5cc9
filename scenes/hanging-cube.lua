-- A soft cube glued to a wall swings under its own weight; five models of elasticity side by side.
-- Debunne, chapter 4.7: 10 cm, 1 kg, no friction; from left to right hybrid, green, cauchy, springs of Van Gelder and voronoi.
scene {
    title = "Hanging cubes",
    note = "The same cube with five models, coloured by stress: hybrid only shears, green and cauchy bend, voronoi blows up in the end.",
    spacing = 0.02, duration = 3, fps = 60,
}

local models = {
    { model = "hybrid", lambda = 8000, mu = 2800 },
    { model = "green", lambda = 20000, mu = 7000 },
    { model = "cauchy", lambda = 20000, mu = 7000 },
    { model = "spring", rule = "van-gelder", spring = 20000 },
    { model = "voronoi", lambda = 20000, mu = 7000, damping = 0.004 },
}
for k, cube in ipairs(models) do
    local x = 0.22 * (k - 3)
    cube.name = cube.model
    cube.shape = box { size = { 0.1, 0.1, 0.1 } }
    cube.level = 1
    cube.at = { x, 0.2, 0 }
    cube.fixed = box { size = { 0.02, 0.2, 0.2 } }:at { x - 0.06, 0.2, 0 }
    cube.color_by, cube.color_max = "stress", 2000
    solid(cube)
    body { shape = box { size = { 0.01, 0.14, 0.14 } }, at = { x - 0.0551, 0.2, 0 }, color = { 0.5, 0.5, 0.55 } }
end
body { name = "ground", shape = plane {}, color = { 0.5, 0.5, 0.5 } }

camera { from = { 0.25, 0.38, 1.25 }, to = { 0, 0.17, 0 }, fov = 36 }
