"""Results of runs as weapons, for attack_test.py: what `measure`, `compare`, `run DIR/run.json`, `run --resume` and `sweep` read
again may be damaged, forged, linked out of its folder or a pipe. Nothing may be written outside of the folder that was named."""
import json
import os
import shutil

from attack_inputs import damage

SCENE = """scene { title = "Drop", dimension = 2, spacing = 0.05, duration = 0.04, fps = 50 }
body { name = "plate", shape = box { size = {1, 0.1} } }
fluid { material = "water", shape = box { size = {0.2, 0.2} }, at = {0, 0.3} }
gauge { name = "v", what = "speed", at = {0, 0.3, 0}, every = 0.01 }
"""
SWEEP = ["sweep", "in/scene.lua", "--set", "water.viscosity=0.001,0.1", "--out", "case", "--quiet", "--jobs", "1", "--threads",
         "1"]
TASK = ["sweep", "--task", "0", "--out", "case", "--quiet", "--threads", "1"]
REPEAT = ["run", "case/run.json", "--out", "out", "--quiet", "--threads", "1"]
RESUME = ["run", "--resume", "case", "--frames", "3", "--quiet", "--threads", "1"]
POINT = 'name = "p", what = "speed", at = {0, 0.3, 0}'
GAUGES = [
    "", "}", "{", "x", "name", 'name = "p"', 'what = "speed"', 'what = "nothing", at = {0, 0, 0}', POINT + " } os.exit(0) {",
    POINT + ", every = 0/0", POINT + ", points = 1e9", "while true do end", POINT + " } while true do end {", "\x1b[2J",
    'name = "\x1b[2J", what = "speed", at = {0, 0, 0}', 'name = "../../x", what = "speed", at = {0, 0, 0}',
    POINT.replace("0.3", "0/0"), POINT.replace("0.3", "1e300"), 'name = "l", what = "level", line = {{0, 0, 0}, {0, 0, 0}}',
    'name = "l", what = "speed", line = {{0, 0, 0}, {1e9, 0, 0}}, points = 100000', 'name = "f", what = "force", body = "nobody"',
    'name = "f", what = "flow", polygon = {{0, 0, 0}}', 'name = "t", what = "speed", at = function() while true do end end',
    'name = "m", what = "mass", shape = mesh { file = "/etc/passwd" }', "(" * 5000, "x" * 100000, "error({})",
    'name = ("x"):rep(1e9)', POINT + ", " + POINT, "require '/etc/passwd'",
]
PLANES = ["", "x", "x=", "x=nan", "x=inf", "w=0", "x=1e300", "x=0,y=0", "=0", "z=0x", "\x1b[2J", "x=" + "9" * 400]
CELLS = ["0", "-1", "nan", "1e-9", "1e300", "x", ""]


# --- Measures ---

def measures():
    """Command lines over the frames of a good run."""
    yield from (["measure", "good", "--gauge", gauge] for gauge in GAUGES)
    yield from (["measure", "good", "--section", plane] for plane in PLANES)
    yield from (["measure", "good", "--grid", "--cell", cell] for cell in CELLS)
    yield from (["measure", "good", "--gauge", POINT, option, value] for option in ("--spacing", "--density", "--fps")
                for value in ("0", "-1", "nan", "1e300", "x"))
    places = ("", "/dev/zero", "/nothere", "in", "good/run.json", "*", "[", "x" * 5000)
    yield from (["measure", place, "--gauge", POINT] for place in places)
    yield ["measure", "good", "--scene", "/etc/passwd"]
    yield ["measure", "good", "--scene", "/dev/zero"]


# --- What is done to a folder before the program reads it: each takes the folder's name ---

def forge(name, key, value):
    """Another value in a JSON file; the key is a path like runs.0.name."""
    def change(folder):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            whole = json.load(file)
        at, *inner = key.split(".")
        part = whole
        for step in inner:
            part, at = part[int(at) if isinstance(part, list) else at], step
        part[int(at) if isinstance(part, list) else at] = value
        os.remove(path)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(whole, file)
    return change


def spoil(rng, name):
    seed = rng.random()

    def change(folder):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            data = file.read()
        os.remove(path)
        with open(path, "wb") as file:
            file.write(damage(type(rng)(seed), data))
    return change


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def link(name, target):
    def change(folder):
        remove(os.path.join(folder, name))
        os.symlink(os.path.abspath(target), os.path.join(folder, name))
    return change


def pipe(name):
    def change(folder):
        remove(os.path.join(folder, name))
        os.mkfifo(os.path.join(folder, name))
    return change


FILES = ["run.json", "diagnostics.csv", "gauges.csv", "gauges.json", "stage.json", "command.txt", "checkpoint.h5", "log.txt",
         ".coulis-files", "bodies.csv", "particles_000001.vtp", "scene/scene.lua"]
ARGUMENTS = [["--out=elsewhere/x"], ["--resume=elsewhere"], ["--help"], ["--frames=999999999"], ["--set=spacing=1e-9"],
             ["--video"], ["--export=nothing"], ["--", "/etc/passwd"], ["--", "case/run.json"], ["--threads=0"],
             ["\x1b[2J"], [], [1], [None],
             ["--set=spacing=0.05"] * 50000]


def runs(rng):
    """(what it is, change of a run's folder, command that reads it)."""
    commands = [RESUME, REPEAT, ["compare", "good", "case"], ["compare", "case", "case"], ["info", "case"],
                ["measure", "case", "--gauge", POINT, "--out", "out"]]
    for name in FILES:
        for command in commands:
            yield f"{name} damaged", spoil(rng, name), command
        yield f"{name} linked", link(name, "elsewhere/mine"), RESUME
        yield f"{name} linked", link(name, "elsewhere/mine"), ["measure", "case", "--gauge", POINT]
        for command in commands[:3] + [["info", "case"]]:
            yield f"{name} a pipe", pipe(name), command
    for arguments in ARGUMENTS:
        yield f"arguments {arguments[:2]!r}", forge("run.json", "arguments", arguments), REPEAT
    for files in ([], ["../../etc/passwd"], ["/etc/passwd"], [1], "scene.lua", ["scene.lua"] * 10000, ["\x1b[2J"]):
        yield f"scene_files {files[:2]!r}", forge("run.json", "scene_files", files), REPEAT
    for key, value in (("scene_hash", "0"), ("scene_hash", 1), ("state_hash", {}), ("frames", -1), ("frames", 1e300),
                       ("fps", "x"), ("version", "\x1b[2J"), ("parameters", []), ("warnings", {}), ("method", "\x1b[2J"),
                       ("set", [[1]])):
        for command in (REPEAT, ["compare", "good", "case"], ["info", "case"]):
            yield f"{key} {value!r}", forge("run.json", key, value), command


def sweeps(rng):
    """The same of a sweep's folder."""
    run = "water.viscosity=0.1"
    names = ["sweep.json", "table.csv", "table.md", ".coulis-files", f"{run}.log"] + [f"{run}/{name}" for name in FILES[:9]]
    for name in names:
        yield f"{name} damaged", spoil(rng, name), SWEEP
        yield f"{name} damaged", spoil(rng, name), [*TASK[:2], "1", *TASK[3:]]
        yield f"{name} linked", link(name, "elsewhere/mine"), SWEEP
        yield f"{name} a pipe", pipe(name), SWEEP
    yield "a run's folder linked", link(run, "elsewhere"), SWEEP
    yield "a run's folder linked", link(run, "elsewhere"), [*TASK[:2], "1", *TASK[3:]]
    for name in ("../elsewhere", "/tmp", "", "a/b", ".", "..", "x" * 300, "\x1b[2J", 5, None):
        for command in (SWEEP, TASK):
            yield f"name {name!r}", forge("sweep.json", "runs.0.name", name), command
    for arguments in ARGUMENTS:
        def change(folder, arguments=arguments):
            forge("sweep.json", "runs.0.name", "new")(folder)  # one that has not run
            forge("sweep.json", "runs.0.arguments", arguments + ["--", "in/scene.lua"])(folder)
        yield f"arguments {arguments[:2]!r}", change, TASK
    for runs_ in ({}, [], "x", [[]], [{}], [{"name": "a"}] * 10000):
        yield f"runs {str(runs_)[:20]}", forge("sweep.json", "runs", runs_), TASK
    for task in ("-1", "2", "99999999999", "x", ""):
        yield f"task {task}", lambda folder: None, [*TASK[:2], task, *TASK[3:]]
