"""Frames of particles, of ours and of other programs, as weapons, for attack_test.py: `foam`, `render`, `surface`, `export` and
`measure` take whatever numbers stand in them, and options that cannot be."""
import os
import struct

from attack_results import link, pipe, remove, spoil

SPLASH = """scene { title = "Splash", spacing = 0.05, duration = 0.2, fps = 20 }
body { name = "floor", shape = plane {} }
fluid { material = "water", shape = box { size = {0.2, 0.2, 0.2} }, at = {0, 0.4, 0}, velocity = {1, -6, 0} }
camera { from = {1, 1, 1}, to = {0, 0, 0} }
"""
FOAM = ["foam", "case", "--threads", "1", "--quiet"]
RENDER = ["render", "case", "--size", "32x32", "--threads", "1", "--quiet", "--force"]
FINAL = [*RENDER, "--quality", "final", "--samples", "1", "--frames", "last"]
SURFACE = ["surface", "case", "--threads", "1", "--quiet"]
WILD = ["0", "-1", "1e-300", "1e300", "nan", "inf", "-inf", "x", "", "99999999999999999999", "0x10", "1,2", "\x1b[2J"]
NUMBERS = [0.0, -0.0, 1.0, -1.0, 1e-40, 1e-20, 1e6, 1e9, -1e9, 1e20, 3e38, -3e38, float("nan"), float("inf"), float("-inf")]
FOAM_OPTIONS = ["--air-min", "--air-max", "--crest-min", "--speed-max", "--air-rate", "--crest-rate", "--life-min", "--life-max",
                "--buoyancy", "--drag", "--seed", "--most", "--format", "--spacing", "--fps", "--scene", "--out"]
RENDER_OPTIONS = ["--quality", "--samples", "--shutter", "--color-by", "--color-range", "--color-map", "--frames", "--film",
                  "--fps", "--from", "--to", "--fov", "--foam", "--scene", "--material", "--spacing", "--field", "--cell",
                  "--radius", "--level", "--smoothing", "--max-memory", "--on", "--slurm", "--parts", "--part", "--size"]


def frame(rng, count, time, kind):
    """A PLY frame of particles on a lattice, of which some are wild: far, fast, of no number, all at one place."""
    names = ["x", "y", "z", "vx", "vy", "vz"]
    head = f"ply\nformat binary_little_endian 1.0\ncomment time {time}\nelement vertex {count}\n"
    head += "".join(f"property float {name}\n" for name in names) + "property uint id\nend_header\n"
    rows = []
    for i in range(count):
        row = [0.05 * (i % 6), 0.05 * (i // 6 % 6), 0.05 * (i // 36), rng.uniform(-9, 9), rng.uniform(-9, 9), 0.0]
        if kind == "one place":
            row[:3] = [0.0] * 3
        elif kind == "all wild":
            row = [rng.choice(NUMBERS) for _ in row]
        elif kind != "good" and rng.random() < 0.05:
            row[rng.randrange(6) if kind == "wild" else 3 + rng.randrange(3)] = rng.choice(NUMBERS)
        elif kind == "spread":
            row[:3] = [1e3 * x for x in row[:3]]
        rows.append(struct.pack("<6fI", *row, rng.choice((i, i, i, 0, 0xffffffff)) if kind != "good" else i))
    return head.encode() + b"".join(rows)


def other_frames(rng, kind, times):
    """Frames of another program in place of the run's folder."""
    seed = rng.random()

    def change(folder):
        dice = type(rng)(seed)
        remove(folder)
        os.mkdir(folder)
        for number, time in enumerate(times):
            with open(os.path.join(folder, f"frame_{number:04d}.ply"), "wb") as file:
                file.write(frame(dice, 216, time, kind))
    return change


def forged_foam(number, rows):
    """A file of foam whose particles are these: x, y, z, vx, vy, vz, age, life, id, kind."""
    columns = [("Points", 0, 3, "Float32"), ("velocity", 3, 6, "Float32"), ("age", 6, 7, "Float32"), ("life", 7, 8, "Float32"),
               ("id", 8, 9, "UInt32"), ("kind", 9, 10, "UInt8")]
    arrays = [f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{end - begin}" format="ascii">' +
              " ".join(str(x) for row in rows for x in row[begin:end]) + "</DataArray>" for name, begin, end, kind in columns]

    def change(folder):
        path = os.path.join(folder, f"foam_{number:06d}.vtp")
        remove(path)
        with open(path, "w", encoding="ascii") as file:
            file.write(f'<VTKFile type="PolyData" version="1.0"><PolyData><Piece NumberOfPoints="{len(rows)}"><Points>{arrays[0]}'
                       f'</Points><PointData>{"".join(arrays[1:])}</PointData></Piece></PolyData></VTKFile>')
    return change


def foams(rng):
    """(what it is, change of a folder with foam, command)."""
    for name in ("foam.txt", "foam.pvd", "foam_000001.vtp", "foam_000004.vtp", "particles_000002.vtp", "bodies.csv", "stage.json",
                 ".coulis-files"):
        for change, what in ((spoil(rng, name), "damaged"), (spoil(rng, name), "damaged again"), (pipe(name), "a pipe"),
                             (link(name, "elsewhere/mine"), "linked")):
            yield f"{name} {what}", change, FOAM
            yield f"{name} {what}", change, [*FOAM, "--force"]
            yield f"{name} {what}", change, [*FINAL, "--out", "out"]
    times = [(0, 0.05, 0.1), (0, 1e300), (0, -1), (0, 0, 0), ("nan", "inf"), (0, 1e-300)]
    for kind in ("good", "one place", "spread", "wild", "fast", "all wild"):
        for moments in times:
            yield f"{kind} at {moments}", other_frames(rng, kind, moments), [*FOAM, "--out", "out", "--most", "20000"]
        yield f"{kind}, given a spacing", other_frames(rng, kind, times[0]), [*FOAM, "--out", "out", "--spacing", "1e-6"]
        yield f"{kind}, given another", other_frames(rng, kind, times[0]), [*FOAM, "--out", "out", "--spacing", "1e5"]
    for option in FOAM_OPTIONS:
        for value in rng.sample(WILD, 4):
            yield f"{option} {value!r}", lambda folder: None, [*FOAM, "--force", option, value]
    for value in NUMBERS:
        for row in ([value] * 8 + [1, 1], [0, 0.2, 0, value, 0, 0, 0, 1, 1, 1],
                    [0, 0.2, 0, 0, 0, 0, value, value, 4294967295, 2]):
            yield f"forged {row}", forged_foam(4, [row] * 10), [*FINAL, "--out", "out"]
    yield "a kind that is none", forged_foam(3, [[0] * 9 + [255]]), FOAM


def pictures(rng):
    """The same for pictures, surfaces, tables and other files of frames."""
    commands = [[*RENDER, "--out", "out"], [*FINAL, "--out", "out", "--layers"], [*SURFACE, "--out", "out"],
                ["export", "case", "--to", "usd", "--out", "out", "--quiet"],
                ["measure", "case", "--grid", "--out", "out", "--quiet"], ["info", "case"]]
    for kind in ("one place", "spread", "wild", "fast", "all wild"):
        for command in commands:
            yield f"{kind}: {command[0]}", other_frames(rng, kind, (0, 0.05)), command
        yield f"{kind}, coloured", other_frames(rng, kind, (0, 0.05)), [*RENDER, "--out", "out", "--color-by", "speed"]
        yield f"{kind}, splats", other_frames(rng, kind, (0, 0.05)), [*RENDER, "--out", "out", "--quality", "splats"]
        yield (f"{kind}, blurred", other_frames(rng, kind, (0, 0.05)),
               [*FINAL, "--out", "out", "--shutter", "1", "--pfm", "--layers"])
    for option in RENDER_OPTIONS:
        for value in rng.sample(WILD, 4):
            yield f"{option} {value!r}", lambda folder: None, [*RENDER, "--frames", "last", option, value]
    for size in ("1x1", "100000x100000", "16384x16384x", "0x0", "-1x-1", "33x", "x", "1e3x10", "2147483648x2"):
        yield f"size {size}", lambda folder: None, [*RENDER, "--size", size]
    for name in ("stage.json", "bodies.csv", "bodies", "run.json", "scene/scene.lua"):
        for what, change in (("a pipe", pipe(name)), ("linked", link(name, "elsewhere"))):
            yield f"{name} {what}", change, [*FINAL, "--out", "out"]
