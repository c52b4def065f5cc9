#!/usr/bin/env python3
"""kill -9 while the program writes: checkpoints, frames, films, pictures, sweeps. Nothing that was good is lost.

usage: kills_test.py COULIS SHIM [MOMENTS]

The shim ends the process at its n-th write, flush, sync, rename or new file, so that the moments are those of writing and do not
depend on how fast the machine is. Afterwards the same command, without being killed, must come to the same state hash, the same
frames and the same pictures as one that never was. 6 moments of each kind of run, or MOMENTS; 50 with COU_LONG_TESTS=1.
"""
import filecmp
import os
import random
import shutil
import sys
import tempfile
import time

from faulty_runs import RESUME, START, Runs, copy, state_hash, write_scene

PICTURES = ["--size", "32x32", "--threads", "1"]
runs = Runs(sys.argv[1], sys.argv[2])
moments = int(sys.argv[3]) if len(sys.argv) > 3 else 50 if os.environ.get("COU_LONG_TESTS") == "1" else 6


def is_ours(name):
    """What must be the same in the end, to the byte; other files tell of times."""
    return not name.endswith(".tmp") and (name.startswith(("particles_", "picture", "solids_", "film")) or
                                          name in ("bodies.csv", "stage.json"))


def trouble(command, expected, moment):
    """What is wrong after a kill at the moment ("write:12"), or None."""
    copy("base", "case")
    result = runs.run(command, moment, kills=True)
    if result.returncode != -9:
        return f"was to be killed, and ended with {result.returncode}: {result.stderr[-300:]}"
    again = runs.run([*command, "--quiet"])
    if again.returncode != 0:
        return f"cannot go on: {again.stderr[-300:]}"
    if state_hash("case") != state_hash(expected):
        return "another state afterwards"
    names = [set(filter(is_ours, os.listdir(folder))) for folder in ("case", expected)]
    if names[0] != names[1]:
        return f"files differ: {sorted(names[0] ^ names[1])}"
    differing = [name for name in sorted(names[0]) if not filecmp.cmp(f"case/{name}", f"{expected}/{name}", shallow=False)]
    if differing:
        return f"contents differ: {differing}"
    # Several may render at once, so what one of them leaves when it is killed stays until a run has the folder to itself.
    left = [name for name in os.listdir("case") if name.endswith(".tmp") and command[0] == "run"]
    return f"left {left}" if left else None


def attack(name, base, command, rng):
    """Kills the command, which works on a copy of the base, at moments spread over all of its writing."""
    copy(base, "base")
    copy(base, "case")
    counts = runs.count(command)
    copy("case", "expected")
    calls = [f"{kind}:{n}" for kind in ("write", "name") for n in range(1, counts[kind] + 1)]
    chosen = rng.sample(calls, min(moments, len(calls)))
    troubles = [(moment, what) for moment in chosen for what in [trouble(command, "expected", moment)] if what]
    for moment, what in troubles:
        print(f"FAILED: {name}, killed at {moment}: {what}")
    print(f"{name}: {len(chosen) - len(troubles)} of {len(chosen)} moments, of {len(calls)} calls", flush=True)
    return len(troubles)


SWEEP = ["sweep", "./drop.lua", "--set", "water.viscosity=0.001,0.1", "--frames", "2", "--checkpoint-every", "1", "--out", "case",
         "--threads", "1", "--jobs", "1", "--quiet"]
PARTS = ["water.viscosity=0.001", "water.viscosity=0.1"]


def sweep_trouble(moment):
    """A sweep runs processes: the first one that comes to the moment is killed, a run or the sweep itself."""
    shutil.rmtree("case", ignore_errors=True)
    result = runs.run(SWEEP, moment, kills=True)
    if result.returncode == 0:
        return "was to be killed, and ended well"
    again = runs.run(SWEEP)
    while again.returncode == 2 and "another run is writing" in again.stderr:  # one that outlives its sweep is about to end
        time.sleep(0.2)
        again = runs.run(SWEEP)
    if again.returncode != 0:
        return f"cannot go on: {again.stderr[-300:]}"
    hashes = [[state_hash(f"{folder}/{part}") for part in PARTS] for folder in ("case", "expected")]
    if hashes[0] != hashes[1]:
        return "other states afterwards"
    names = [{os.path.relpath(os.path.join(path, name), folder) for path, _, inside in os.walk(folder) for name in inside}
             for folder in ("case", "expected")]
    return f"files differ: {sorted(names[0] ^ names[1])}" if names[0] != names[1] else None


def attack_sweeps(rng):
    shutil.rmtree("case", ignore_errors=True)
    sweep = runs.count(SWEEP)
    copy("case", "expected")
    alone = runs.count(["run", "./drop.lua", "--frames", "2", "--checkpoint-every", "1", "--export", "none", "--out", "case",
                        "--threads", "1", "--quiet"])
    most = {kind: max(sweep[kind], alone[kind]) for kind in ("write", "name")}
    calls = [f"{kind}:{n}" for kind, count in most.items() for n in range(1, count + 1)]
    chosen = rng.sample(calls, min(moments, len(calls)))
    troubles = [(moment, what) for moment in chosen for what in [sweep_trouble(moment)] if what]
    for moment, what in troubles:
        print(f"FAILED: sweeps, killed at {moment}: {what}")
    print(f"sweeps: {len(chosen) - len(troubles)} of {len(chosen)} moments, of {len(calls)} calls", flush=True)
    return len(troubles)


def main():
    rng = random.Random(17)
    write_scene()
    runs.must(START)
    failures = attack("checkpoints and frames", "good", RESUME, rng)
    failures += attack("pictures", "good", ["render", "case", *PICTURES], rng)
    write_scene(has_solid=False)  # a film does not show the solids of frames that were computed before
    runs.must(START)
    failures += attack("a film", "good", [*RESUME, "--video", *PICTURES[:2]], rng)
    failures += attack_sweeps(rng)
    return failures


here = tempfile.mkdtemp()
try:
    os.chdir(here)
    code = 1 if main() else 0
finally:
    os.chdir("/")
    shutil.rmtree(here)
sys.exit(code)
