-- A ball over a blower, after Gagneux's thesis (2022, sect. 3.6.2 and 3.6.3) and its published scene. Four scenes of the gallery
-- differ in the tilt, which is their gravity, the C of the Coanda force and whether pressures may pull:
--     local levitation = require "lib.levitation"
--     levitation { coanda = 0.00001 }
-- As in the thesis pressures only push (`sealed = false`), and c_V, the `fill`, is "very near 1": 0.97. A box filled to the last
-- particle has pressures above 0 everywhere, none is ever cut, and the jet draws the ball as if they could pull. The fourth
-- scene is that: full, with pressures of both signs.
-- A closed box of 2.2 x 4.5 x 2.2 m holds a liquid a quarter as dense as water. A cylinder on its floor blows upward from 0.05 s on,
-- by 185 m/s^2 after 0.3 s more: the 10 N that the thesis has on each of its particles of 0.054 kg. The ball is held 1.4 m
-- above the floor until 0.45 s. As in the thesis gravity is tilted instead of the box, so that the walls stay along the jet.
-- Some numbers are our own. The ball has 85 kg and a radius of 0.2 m instead of 65 kg and 0.15 m: held in this jet it is pushed
-- by what carries some 100 kg at 1.4 m, 90 at 2 m and 66 at 3 m, so that it hovers half way up, where there is room above and
-- below; and it is as wide as two thirds of the jet, nearer to the ping-pong ball over a hair dryer of the thesis's experiment. The spacing is 0.1 m (the
-- thesis: 0.06), the support 2.25 diameters. The blower does not wait for 0.4 s first. Steps follow the flow; `--set sph.max_step=0.0002` takes those of the thesis.
return function(case)
    local air = material("air", { base = "water", density = 250, viscosity = 0.001, opacity = 0 }) -- a box full of it would hide the ball
    body {
        name = "room", shape = shell { box { size = { 2.2, 4.5, 2.2 } }, thickness = 0.2 }, at = { 0, 2.25, 0 },
        opacity = 0.06, color = { 0.96, 0.98, 0.99 },
    }
    body {
        name = "ball", shape = sphere { radius = 0.2 }, at = { 0, 1.4, 0 }, mass = 85, fixed = true, friction = 1,
        coanda = case.coanda, contact_friction = 0.2, restitution = 0.3, color = { 0.9, 0.45, 0.08 },
    }
    fluid { material = air, full = case.full, shape = box { size = { 2.2, 4.5, 2.2 } }, at = { 0, 2.25, 0 } }
    blower {
        name = "fan", shape = cylinder { radius = 0.31, height = 0.4 }, at = { 0, 0.3, 0 }, acceleration = 185, start = 0.05, fade_in = 0.3,
        opacity = 0.3,
    }
    at(0.45, function(world) world:set_free("ball", true) end)
    camera { from = { 1.2, 2.2, 8.4 }, to = { 0, 2.1, 0 }, fov = 36 }
end
