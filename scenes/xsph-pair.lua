-- Two streams of water slide past each other in a ring of space, smoothed by XSPH (Gagneux's thesis 2022, eq. 2.15).
-- In each step a particle takes over a share of its neighbours' velocity, 0.1 here: the border smears, whatever viscosity water has.
-- One world has one such share; `coulis run xsph-pair --set sph.xsph=0` runs the other, where only that viscosity brakes.
scene {
    title = "Two streams and XSPH",
    note = "With 0.1 the border between the streams is wide and straight; with 0 it stays half as wide, and its wave lives.",
    method = "wcsph", dimension = 2, spacing = 0.02, gravity = { 0, 0, 0 }, duration = 1.5, fps = 30,
    period = { 1, 0, 0 }, period_lower = { -0.5, 0, 0 },
    sph = { xsph = 0.1 },
}

for _, side in ipairs { -1, 1 } do
    body { name = side < 0 and "floor" or "lid", shape = box { size = { 1.2, 0.1 } }, at = { 0, side * 0.35 } }
end
-- The border is a wave, so that it has something to curl up.
local function stream(x, y) return { y > 0.02 * math.sin(4 * math.pi * x) and 0.5 or -0.5, 0 } end
fluid { material = "water", shape = box { size = { 1, 0.6 } }, velocity = stream, jitter = 0 }

colors { by = "vx", low = -0.5, high = 0.5, map = "coolwarm" }
camera { from = { 0, 0, 1.6 }, to = { 0, 0, 0 }, fov = 28 }
