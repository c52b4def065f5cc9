-- Water in 2D whose pressures may pull: the surface curls up and the particles clump (Gagneux's thesis 2022, figs 3.2 and 3.3).
-- Where the density is below rest, the symmetric form of the pressure force attracts, and a pair that has come close stays together.
-- `coulis run tensile-clumps --set sph.clamp=true` cuts negative pressures off, as the thesis does: no clumps, and nothing that holds
-- a sheet without weight together.
scene {
    title = "Suction and its clumps",
    note = "The surface runs together into a string and holes open inside; with the clamp the sheet drifts apart without clumps.",
    method = "sesph", dimension = 2, spacing = 0.02, gravity = { 0, 0, 0 }, speed = 0.5, duration = 2, fps = 30,
    sph = { kernel = "cubic", support = 3, clamp = false, exponent = 1, stiffness = 4000, damping = 0.2 },
}

fluid { material = "water", shape = box { size = { 0.8, 0.5 } }, jitter = 0.3 }

colors { by = "density", low = 0.6, high = 1.2, map = "coolwarm" }
camera { from = { 0, 0, 1.6 }, to = { 0, 0, 0 }, fov = 24 }
