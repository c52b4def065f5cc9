"""What faults_test.py and kills_test.py share: a small run of everything that writes, and the shim that makes its calls fail."""
import json
import os
import shutil
import subprocess

SCENE = """
scene { title = "Drop", dimension = 2, spacing = 0.05, duration = 0.2, fps = 50 }
body { name = "plate", shape = box { size = {1, 0.1} } }
body { name = "ball", shape = sphere { radius = 0.06 }, at = {0.3, 0.2}, fixed = false }
solid { name = "jelly", shape = box { size = {0.1, 0.1, 1} }, cells = {2, 2, 1}, at = {-0.3, 0.12}, color_by = "stress" }
blower { name = "fan", shape = box { size = {0.4, 0.4, 1} }, at = {0, 0.3}, acceleration = 20, period = 0.02 }
fluid { material = "water", shape = box { size = {0.2, 0.2} }, at = {0, 0.3} }
every(0.01, function(world) world.store.n = (world.store.n or 0) + 1 end)
at(0.05, function(world) world:set("blower.fan.acceleration", 10) end)
camera { from = {0, 0.3, 1}, to = {0, 0.3, 0} }
"""
START = ["run", "./drop.lua", "--out", "good", "--frames", "2", "--checkpoint-every", "1", "--export", "vtk,ply", "--quiet",
         "--threads", "1"]
RESUME = ["run", "--resume", "case", "--frames", "4", "--checkpoint-every", "1", "--export", "vtk,ply", "--threads", "1"]
KINDS = ("alloc", "write", "name")


class Runs:
    """The program, with and without the shim; works in the current folder."""

    def __init__(self, coulis, shim):
        self.coulis, self.shim = os.path.abspath(coulis), os.path.abspath(shim)

    def run(self, arguments, fault=None, kills=False):
        environment = dict(os.environ, COULIS_CACHE="")
        if fault is not None:
            environment.update(LD_PRELOAD=self.shim, COU_FAIL=fault, COU_FAIL_COUNT=os.path.abspath("count.txt"))
        if kills:
            environment["COU_FAIL_KILLS"] = "1"
        return subprocess.run([self.coulis, *arguments], env=environment, capture_output=True, text=True, errors="replace",
                              timeout=600, stdin=subprocess.DEVNULL, check=False)

    def must(self, arguments, fault=None):
        """Runs what cannot fail."""
        result = self.run(arguments, fault)
        if result.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)}: exit code {result.returncode}: {result.stderr[-500:]}")

    def count(self, arguments):
        """How many calls of each kind a command makes."""
        self.must(arguments, "none")
        with open("count.txt", encoding="utf-8") as file:
            return dict(zip(KINDS, map(int, file.read().split())))


def write_scene(has_solid=True):
    with open("drop.lua", "w", encoding="utf-8") as file:
        file.writelines(line for line in SCENE.splitlines(True) if has_solid or not line.startswith("solid"))


def copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def state_hash(folder):
    with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
        return json.load(file)["state_hash"]
