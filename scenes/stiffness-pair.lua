-- Water with an equation of state, stiff and soft: a dam breaks, and how much the water gives shows in the level where it comes to rest.
-- Gagneux's thesis 2022, fig. 2.6: k1 = 50000 Pa against 5000 Pa, k2 = 7, viscosity 0.001 Pa s. One world has one stiffness, so this is
-- the stiff one; `coulis run stiffness-pair --set sph.stiffness=5000` runs the soft one.
scene {
    title = "Stiff and soft water",
    note = "With 50000 Pa the water keeps its volume; with 5000 Pa it gives like a cushion and ends about a twentieth lower.",
    method = "sesph", spacing = 0.025, duration = 3, fps = 30,
    sph = { stiffness = 50000, exponent = 7 },
}

body {
    name = "tank", opacity = 0.1, color = { 0.7, 0.8, 0.9 }, absorption = { 1.2, 0.5, 0.4 },
    shape = shell { box { size = { 1.0, 0.9, 0.4 } }, thickness = 0.03, open = true }, at = { 0.5, 0.45, 0 },
}
-- Tinted: so little water would have no colour of its own.
local water = material("water", { viscosity = 0.001, absorption = { 4, 1.3, 0.5 } })
fluid { material = water, shape = box { size = { 0.5, 0.8, 0.4 } }, at = { 0.25, 0.4, 0 }, jitter = 0 }

sink { shape = box { size = { 8, 8, 8 } }, inverted = true } -- what splashes out of the tank
camera { from = { 1.1, 1.15, 2.2 }, to = { 0.5, 0.44, 0 }, fov = 34 }
