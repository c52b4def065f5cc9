#!/usr/bin/env python3
"""The attack: inputs made to harm, by class, from a fixed seed. Prints the table of docs/robustness.md.

usage: attack_test.py COULIS [--whole] [--only CLASS] [--seed N]

An attack is held when the program ends in time, by an exit code of its own (0, 1 or 2, as the class allows), says why unless it
ends well, lets no control character through, takes no more memory than it may, and changes no file that is not its own. Without
--whole (or COU_LONG_TESTS=1) a part of each class is tried, every n-th.
"""
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import zlib

import attack_frames as frames
import attack_inputs as inputs
import attack_results as results
from attack_scenes import DROP, callbacks, scenes
from attack_viewer import attack_playback, attack_recording, attack_viewer

SECONDS = 3000  # on the clock, which means never
CPU_SECONDS = 300  # that an attack may use: a scene may compute for 60 s
MEMORY = 3 << 30  # [bytes] of one process; the sanitizers' own needs are no part of it
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]")


class Attack:
    """The state of all of it: what is tried, what held."""

    def __init__(self, coulis, is_whole, seed):
        self.coulis = coulis
        self.is_whole = is_whole
        self.seed = seed
        self.rows = []
        self.failures = []
        with open(coulis, "rb") as file:
            program = file.read()
        self.is_sanitized = b"__asan_init" in program or b"__tsan_init" in program

    def limit(self, memory):
        def apply():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            if memory and not self.is_sanitized:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        return apply

    def run(self, arguments, memory=MEMORY):
        return subprocess.run([self.coulis, *arguments], capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS,
                              preexec_fn=self.limit(memory), check=False)

    def trouble(self, arguments, codes=(0, 2), memory=MEMORY, keeps=None, names=b""):
        """What the program did wrong, or None. `keeps`: a folder that must stay as it is; `names`: what a fault must name."""
        before = fingerprint(keeps) if keeps else None
        try:
            result = self.run(arguments, memory)
        except subprocess.TimeoutExpired:
            return f"does not end within {SECONDS} s"
        if result.returncode not in codes:
            return f"exit code {result.returncode}: {result.stderr[-300:]!r}"
        if result.returncode != 0 and not result.stderr.strip():
            return "no message"
        if result.returncode != 0 and names not in result.stderr:
            return f"a message that does not name {names!r}: {result.stderr[-300:]!r}"
        if CONTROL.search(result.stdout) or CONTROL.search(result.stderr):
            return "control characters"
        if keeps and fingerprint(keeps) != before:
            return "files have changed"
        return None

    def part(self, cases):
        """All of them, or about five."""
        cases = list(cases)
        step = 1 if self.is_whole else max(1, len(cases) // 5)
        return cases[self.seed % step::step] if step > 1 else cases

    def hold(self, name, tried, troubles):
        self.rows.append((name, tried, tried - len(troubles)))
        self.failures += [f"{name}: {what}" for what in troubles]
        print(f"{name}: {tried - len(troubles)} of {tried}", flush=True)
        for what in troubles:
            print(f"FAILED: {name}: {what}", flush=True)


def fingerprint(folder):
    """Names, kinds and contents of all in it."""
    found = []
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            full = os.path.join(path, name)
            if os.path.islink(full):
                found.append((full, os.readlink(full)))
            elif os.path.isfile(full):
                with open(full, "rb") as file:
                    found.append((full, zlib.crc32(file.read())))
    return sorted(found)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


# --- Classes ---

def attack_scenes(attack, rng):
    troubles, tried = [], 0
    for text, is_run, codes in attack.part(scenes(rng, 400)):
        write("in/scene.lua", text)
        shutil.rmtree("out", ignore_errors=True)
        tried += 1
        # Two frames of 1/30 s, so that events come to pass.
        command = ["run", "in/scene.lua", "--out", "out", "--frames", "2", "--fps", "30", "--threads", "1"]
        what = attack.trouble(command if is_run else ["check", "in/scene.lua"], codes, keeps="in", names=b"scene.lua")
        if what:
            troubles.append(f"{what}: {text[:300]!r}")
    attack.hold("hostile scenes", tried, troubles)


def attack_callbacks(attack, rng):
    troubles, tried = [], 0
    for text in attack.part(callbacks(rng, 100)):
        write("in/scene.lua", text)
        shutil.rmtree("out", ignore_errors=True)
        tried += 1
        what = attack.trouble(["run", "in/scene.lua", "--out", "out", "--frames", "2", "--threads", "1"], (0, 1, 2), keeps="in")
        if what:
            troubles.append(f"{what}: {text[-300:]!r}")
    attack.hold("callbacks", tried, troubles)


def attack_meshes(attack, rng):
    troubles, tried = [], 0
    for number, (name, data) in enumerate(attack.part(inputs.meshes(rng, 320))):
        write(f"in/{name}", data)
        tried += 1
        if number % 4 == 0:
            write("in/scene.lua", "scene { spacing = 0.2 }\n" f'body {{ shape = mesh {{ file = "{name}" }} }}\n'
                  'fluid { material = "water", shape = box { size = {0.2, 0.2, 0.2} }, at = {0, 3, 0} }\n')
            what = attack.trouble(["check", "in/scene.lua"], keeps="in")
        else:
            what = attack.trouble(["info", f"in/{name}"], keeps="in")
        if what:
            troubles.append(f"{name}, {len(data)} bytes: {what}: {data[:120]!r}")
        os.remove(f"in/{name}")
    attack.hold("meshes", tried, troubles)


def attack_solids(attack, rng):
    troubles, tried = [], 0
    for name, data, dimension in attack.part(inputs.solid_meshes(rng, 160)):
        write(f"in/{name}", data)
        write("in/scene.lua", f"scene {{ dimension = {dimension}, spacing = 0.05, duration = 0.01, fps = 500 }}\n"
              f'solid {{ file = "{name}", at = {{0, 0.3, 0}} }}\nbody {{ shape = plane {{}} }}\n')
        shutil.rmtree("out", ignore_errors=True)
        tried += 1
        what = attack.trouble(["run", "in/scene.lua", "--out", "out", "--frames", "1", "--threads", "1"], (0, 1, 2), keeps="in")
        what = what or attack.trouble(["info", f"in/{name}"], (0, 2), keeps="in")
        if what:
            troubles.append(f"{name}: {what}: {data[:200]!r}")
        os.remove(f"in/{name}")
    attack.hold("meshes of solids", tried, troubles)


def attack_bombs(attack, rng):
    troubles, tried = [], 0
    for name, data, command in attack.part(inputs.bombs(rng)):
        write(f"in/{name}", data)
        tried += 1
        what = attack.trouble([*command, f"in/{name}"], (0, 1, 2), memory=2 << 30, keeps="in")
        if what:
            troubles.append(f"{name}: {what}")
        os.remove(f"in/{name}")
    attack.hold("bombs", tried, troubles)


def attack_frames(attack, rng):
    """Frames and checkpoints of a run, damaged."""
    write("in/scene.lua", DROP)
    shutil.rmtree("run", ignore_errors=True)
    result = attack.run(["run", "in/scene.lua", "--out", "run", "--frames", "2", "--export", "vtk,ply", "--threads", "1",
                         "--quiet"])
    if result.returncode != 0:
        attack.hold("frames and checkpoints", 1, [f"the run itself fails: {result.stderr[-300:]!r}"])
        return
    names = ["particles_000001.vtp", "particles_000001.ply", "checkpoint.h5", "run.json", "diagnostics.csv", "stage.json",
             "command.txt", "bodies.csv", ".coulis-files"]
    commands = [["run", "--frames", "3", "--threads", "1", "--resume", "damaged"], ["info", "damaged"],
                ["surface", "damaged", "--quiet"], ["export", "damaged", "--to", "ply", "--quiet"]]
    troubles, tried = [], 0
    for number in attack.part(range(120)):
        shutil.rmtree("damaged", ignore_errors=True)
        shutil.copytree("run", "damaged")
        name = names[number % len(names)]
        with open(f"damaged/{name}", "rb") as file:
            data = file.read()
        write(f"damaged/{name}", inputs.damage(rng, data))
        command = commands[number // len(names) % len(commands)]
        if command[0] == "info" and number % 2:
            command = ["info", f"damaged/{name}"]
        tried += 1
        what = attack.trouble(command, (0, 1, 2), keeps="in")
        if what:
            troubles.append(f"{name}: {' '.join(command)}: {what}")
    attack.hold("frames and checkpoints", tried, troubles)


def attack_folders(attack, _):
    write("in/scene.lua", DROP)
    command = ["run", "in/scene.lua", "--frames", "1", "--threads", "1", "--quiet", "--out"]
    troubles, tried = [], 0
    for name, make, codes in attack.part(inputs.folders()):
        shutil.rmtree("target", ignore_errors=True)
        shutil.rmtree("elsewhere", ignore_errors=True)
        os.mkdir("elsewhere")
        write("elsewhere/mine", "mine")
        place = make()
        kept = [(path, sum_) for path, sum_ in fingerprint("target")]
        tried += 1
        what = attack.trouble([*command, place], codes, keeps="elsewhere")
        after = dict(fingerprint("target"))
        if not what and any(after.get(path) != sum_ for path, sum_ in kept):
            what = "a file that was there has changed"
        if what:
            troubles.append(f"{name}: {what}")
        if os.path.isdir("target"):
            os.chmod("target", 0o755)
    attack.hold("folders", tried, troubles)


def attack_memory(attack, _):
    """`ulimit -v`: from too little to load the libraries to enough."""
    if attack.is_sanitized:
        return  # the address space of the sanitizers is terabytes
    write("in/scene.lua", 'scene { spacing = 0.01 }\nfluid { material = "water", shape = box { size = {0.4, 0.4, 0.4} } }\n')
    troubles, tried = [], 0
    for kilobytes in attack.part((20000, 60000, 90000, 95000, 100000, 105000, 110000, 115000, 120000, 140000, 200000)):
        tried += 1
        for command in (["check", "in/scene.lua"],
                        ["run", "in/scene.lua", "--out", "out", "--frames", "1", "--fps", "2000", "--threads", "1", "--quiet"]):
            shutil.rmtree("out", ignore_errors=True)
            try:
                result = attack.run(command, kilobytes * 1024)
            except subprocess.TimeoutExpired:
                troubles.append(f"{kilobytes} kB, {command[0]}: does not end")
                break
            is_loader = result.returncode == 127 and b"shared" in result.stderr  # the system's, before the program begins
            is_good = is_loader or result.returncode == 0 or (result.returncode in (1, 2) and b"memory" in result.stderr)
            if not is_good:
                troubles.append(f"{kilobytes} kB, {command[0]}: exit code {result.returncode}: {result.stderr[-200:]!r}")
                break
    attack.hold("`ulimit -v`", tried, troubles)


def attack_commands(attack, rng):
    write("in/scene.lua", DROP)
    troubles, tried = [], 0
    for arguments in attack.part(inputs.command_lines(rng, 159)):
        tried += 1
        what = attack.trouble(arguments, (0, 1, 2), keeps="in")
        if what:
            troubles.append(f"{' '.join(arguments)!r}: {what}")
        shutil.rmtree("out", ignore_errors=True)
    attack.hold("command lines", tried, troubles)


def prepare(attack, name, commands, scene=results.SCENE):
    """Runs what cannot fail; false, with a row that says so, when it does."""
    write("in/scene.lua", scene)
    for command in commands:
        done = attack.run([*command, "--threads", "1", "--quiet"])
        if done.returncode != 0:
            attack.hold(name, 1, [f"the run itself fails: {done.stderr[-300:]!r}"])
            return False
    return True


def attack_measures(attack, _):
    troubles, tried = [], 0
    if not prepare(attack, "measures", [["run", "in/scene.lua", "--out", "good"]]):
        return
    for command in attack.part(results.measures()):
        tried += 1
        what = attack.trouble([*command, "--out", "out"], (0, 1, 2), keeps="good")
        if what:
            troubles.append(f"{' '.join(command)[:200]!r}: {what}")
        shutil.rmtree("out", ignore_errors=True)
    attack.hold("measures", tried, troubles)


def attack_cases(attack, name, good, cases):
    """Each case changes a copy of the folder `good` and lets the program read it."""
    troubles, tried = [], 0
    for what_is_it, change, command in attack.part(cases):
        for folder in ("case", "out", "elsewhere"):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(good, "case")
        os.mkdir("elsewhere")
        write("elsewhere/mine", "mine")
        change("case")
        tried += 1
        what = attack.trouble(command, (0, 1, 2), keeps="elsewhere")
        if what:
            troubles.append(f"{what_is_it}: {' '.join(command)}: {what}")
    attack.hold(name, tried, troubles)


def attack_runs(attack, rng):
    command = ["run", "in/scene.lua", "--export", "vtk", "--out", "good"]
    if prepare(attack, "results of runs", [command]):
        attack_cases(attack, "results of runs", "good", results.runs(rng))


def attack_sweeps(attack, rng):
    command = [*results.SWEEP[:5], "good-sweep", "--jobs", "1"]
    if prepare(attack, "sweeps", [command]):
        attack_cases(attack, "sweeps", "good-sweep", results.sweeps(rng))


def attack_splash(attack, name, cases):
    """Cases that change a run with foam."""
    commands = [["run", "in/scene.lua", "--export", "vtk", "--out", "splash"], ["foam", "splash"]]
    if os.path.exists("splash") or prepare(attack, name, commands, frames.SPLASH):
        attack_cases(attack, name, "splash", cases)


def attack_foam(attack, rng):
    attack_splash(attack, "foam", frames.foams(rng))


def attack_pictures(attack, rng):
    attack_splash(attack, "pictures of frames", frames.pictures(rng))


def attack_played(attack, rng):
    if prepare(attack, "runs played back", [["run", "in/scene.lua", "--export", "vtk", "--out", "good"]]):
        attack_playback(attack, rng)


def attack_recorded(attack, rng):
    write("in/scene.lua", DROP)
    attack_recording(attack, rng)


CLASSES = {"scenes": attack_scenes, "callbacks": attack_callbacks, "meshes": attack_meshes, "solids": attack_solids,
           "bombs": attack_bombs, "frames": attack_frames, "folders": attack_folders, "memory": attack_memory,
           "commands": attack_commands, "measures": attack_measures, "runs": attack_runs, "sweeps": attack_sweeps,
           "foam": attack_foam, "pictures": attack_pictures,
           "viewer": attack_viewer, "playback": attack_played, "recording": attack_recorded}


def main():
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(__doc__)
    coulis = os.path.abspath(arguments[0])
    is_whole = "--whole" in arguments or os.environ.get("COU_LONG_TESTS") == "1"
    seed = int(arguments[arguments.index("--seed") + 1]) if "--seed" in arguments else 17
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else None
    attack = Attack(coulis, is_whole, seed)
    os.environ.update(COULIS_CACHE="", COULIS_SCENES=os.path.join(os.getcwd(), "in"), LC_ALL="C", OMP_WAIT_POLICY="passive")
    os.mkdir("in")
    for name, function in CLASSES.items():
        if only in (None, name):
            function(attack, random.Random(f"{seed} {name}"))
    print(json.dumps({name: f"{held} of {tried}" for name, tried, held in attack.rows}))
    return 1 if attack.failures else 0


here = tempfile.mkdtemp()
source = os.path.dirname(os.path.abspath(__file__))
program = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
try:
    os.chdir(here)
    if program:
        sys.argv[1] = program
    code = main()
finally:
    os.chdir("/")
    shutil.rmtree(here, ignore_errors=True)
sys.exit(code)
