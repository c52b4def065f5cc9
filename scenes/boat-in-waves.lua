-- A small boat with a crate on board floats, is rocked by the waves of a paddle, and carries its load over them.
-- The two-way coupling of Clavet 2005, sect. 6 (fig. 10, a floating object): water lifts the hull, the hull bears the crate.
scene {
    title = "A boat in waves",
    note = "The empty hull is of wood and rides high; the crate presses it down by its own weight of water. The waves lift both.",
    spacing = 0.014, duration = 5, fps = 30, depth = 0.16, speed = 1.5,
    pvfs = { height_error = 0.06, near_ratio = 0.15 },
}

body {
    name = "tank", shape = shell { box { size = { 0.96, 0.34, 0.30 } }, thickness = 0.012, open = true },
    at = { 0, 0.18, 0 }, friction = 0.05, color = { 0.7, 0.8, 0.9 }, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
}
body { name = "ground", shape = plane {} }
-- Tinted: so little water would have no colour of its own.
local water = material("water", { absorption = { 5, 1.6, 0.6 } })
fluid { material = water, shape = box { size = { 0.96, 0.16, 0.30 } }, at = { 0, 0.093, 0 } }

-- An open shell: what floats is the wood and the air inside.
body {
    name = "boat", shape = shell { box { size = { 0.20, 0.06, 0.12 } }, thickness = 0.012, open = true }, at = { 0.08, 0.215, 0 },
    density = 600, friction = 0.1, contact_friction = 0.8, color = { 0.55, 0.08, 0.05 },
}
body {
    name = "crate", shape = box { size = { 0.07, 0.07, 0.07 } }, at = { 0.08, 0.232, 0 }, density = 900, contact_friction = 0.8,
    color = { 0.80, 0.52, 0.18 },
}

-- The paddle hangs in the water on the left and swings about its upper edge, from the third half second on.
local function paddle(t)
    local swing = t > 0.6 and 13 * (1 - math.cos(2 * math.pi * 1.3 * (t - 0.6))) or 0
    return { turn = { degrees = swing } }
end
body {
    name = "paddle", shape = box { size = { 0.015, 0.28, 0.28 } }:at { 0, -0.14, 0 }, at = { -0.44, 0.32, 0 }, motion = paddle,
    friction = 0.1, color = { 0.35, 0.36, 0.38 },
}
sink { shape = box { size = { 3, 3, 3 } }, inverted = true }

camera { from = { 0.38, 0.44, 0.98 }, to = { -0.01, 0.14, 0 }, fov = 36 }
