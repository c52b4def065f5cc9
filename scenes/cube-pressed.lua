-- A plate presses two cubes that have grad(div) alone, nothing against shear, and lets go: one with cauchy's operator, one with voronoi's.
-- Debunne, fig. 4.21 and 4.22: the forces push outward where there is room. Cauchy keeps its new shape; voronoi's goes on deforming.
scene {
    title = "Cubes pressed under grad div",
    note = "Both give way to the sides. After the plate has left, the left cube (cauchy) is still, the right one (voronoi) goes on.",
    spacing = 0.02, duration = 4, fps = 30, gravity = { 0, 0, 0 },
}

for k, model in ipairs { "cauchy", "voronoi" } do
    solid {
        name = model, model = model, shape = box { size = { 0.1, 0.1, 0.1 } }, cells = { 4, 4, 4 }, at = { 0.2 * k - 0.3, 0.05, 0 },
        lambda = 8000, mu = 0, damping = 0.01, contact_friction = 0,
        color = k == 1 and { 0.15, 0.45, 0.7 } or { 0.75, 0.25, 0.12 },
    }
end

local function press(t) -- down for a second, then away
    local y = 0.125
    if t < 1 then y = y - 0.03 * t elseif t < 1.2 then y = y - 0.03 else y = y - 0.03 + 0.3 * math.min(t - 1.2, 0.5) end
    return { at = { 0, y, 0 } }
end
body { name = "plate", shape = box { size = { 0.45, 0.03, 0.2 } }, motion = press, contact_friction = 0, color = { 0.7, 0.8, 0.9 }, opacity = 0.15 }
body { name = "ground", shape = plane {}, contact_friction = 0 }

camera { from = { 0.2, 0.32, 0.75 }, to = { 0, 0.05, 0 }, fov = 32 }
