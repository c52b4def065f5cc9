-- A ball of nylon sinks in olive oil, soon at a steady speed, and settles on the floor.
-- Gagneux's thesis 2022, fig. 2.4, above, in oil; `--set gravity_on=bodies` gives the row below it, oil without weight.
scene {
    title = "A ball sinks in oil",
    note = "The oil closes behind the ball, which falls steadily with 0.13 m/s, slows near the floor and lies there after 1 s.",
    method = "dfsph", spacing = 0.004, duration = 1.2, fps = 30,
}

body {
    name = "tank", shape = shell { box { size = { 0.076, 0.16, 0.076 } }, thickness = 0.008, open = true },
    at = { 0, 0.088, 0 }, friction = 1, color = { 0.7, 0.8, 0.9 }, opacity = 0.1, absorption = { 1.2, 0.5, 0.4 },
}
body { name = "ground", shape = plane {} }
fluid { material = "oil", shape = box { size = { 0.076, 0.136, 0.076 } }, at = { 0, 0.076, 0 }, jitter = 0 }
body {
    name = "ball", shape = sphere { radius = 0.012 }, at = { 0, 0.120, 0 }, density = 1150, friction = 1,
    color = { 0.60, 0.05, 0.03 },
}

camera { from = { 0.12, 0.15, 0.26 }, to = { 0, 0.082, 0 }, fov = 39 }
