#!/usr/bin/env python3
"""Faults injected one after the other: every allocation of a short run fails once, every write, every rename.

usage: faults_test.py COULIS SHIM

A run that is resumed for two frames is given one fault. It must end with exit code 0, 1 or 2 and not by a signal, say what was
wrong unless it ends well, and lose nothing: resumed once more, without faults, it comes to the state that it would have had. With
COU_LONG_TESTS=1 every call fails once; otherwise a sample of them, evenly spread.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SCENE = """
scene { title = "Drop", dimension = 2, spacing = 0.05, duration = 0.2, fps = 50 }
body { name = "plate", shape = box { size = {1, 0.1} } }
fluid { material = "water", shape = box { size = {0.2, 0.2} }, at = {0, 0.3} }
every(0.01, function(world) world.store.n = (world.store.n or 0) + 1 end)
"""
SAMPLE = 40
coulis, shim = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
is_long = os.environ.get("COU_LONG_TESTS") == "1"
resume = ["run", "--resume", "case", "--frames", "4", "--checkpoint-every", "1", "--export", "vtk,ply", "--threads", "1"]


def run(arguments, fault=None):
    environment = dict(os.environ, COULIS_CACHE="")
    if fault is not None:
        environment.update(LD_PRELOAD=shim, COU_FAIL=fault, COU_FAIL_COUNT="count.txt")
    return subprocess.run([coulis, *arguments], env=environment, capture_output=True, text=True, errors="replace", timeout=600,
                          stdin=subprocess.DEVNULL)


def fresh():
    shutil.rmtree("case", ignore_errors=True)
    shutil.copytree("good", "case")


def state_hash():
    with open("case/run.json", encoding="utf-8") as file:
        return json.load(file)["state_hash"]


def check(fault, expected):
    """What went wrong, or None."""
    fresh()
    result = run(resume, fault)
    if result.returncode not in (0, 1, 2):
        return f"exit code {result.returncode}: {result.stderr[-300:]}"
    if result.returncode != 0 and not result.stderr.strip():
        return "no message"
    if any(name.endswith(".tmp") for name in os.listdir("case")):
        return f"left {[name for name in os.listdir('case') if name.endswith('.tmp')]}"
    again = run([*resume, "--quiet"])
    if again.returncode != 0:
        return f"cannot go on afterwards: {again.stderr[-300:]} (after: {result.stderr[-200:]})"
    if state_hash() != expected:
        return "another state afterwards"
    return None


def main():
    with open("drop.lua", "w", encoding="utf-8") as file:
        file.write(SCENE)
    first = run(["run", "./drop.lua", "--out", "good", "--frames", "2", "--checkpoint-every", "1", "--export", "vtk,ply",
                 "--quiet"])
    if first.returncode != 0:
        sys.exit(first.stderr)
    fresh()
    if run(resume, "none").returncode != 0:
        sys.exit("the run does not even end without faults")
    expected = state_hash()
    with open("count.txt", encoding="utf-8") as file:
        counts = dict(zip(("alloc", "write", "name"), map(int, file.read().split())))
    failures = 0
    for kind, count in counts.items():
        if count == 0:
            sys.exit(f"no calls of kind {kind} were seen")
        step = 1 if is_long else max(1, count // SAMPLE)
        tried = range(1, count + 1, step)
        for number in tried:
            trouble = check(f"{kind}:{number}", expected)
            if trouble:
                print(f"FAILED: {kind} {number} of {count}: {trouble}")
                failures += 1
        print(f"{kind}: {len(tried)} of {count} calls failed once", flush=True)
    return failures


here = tempfile.mkdtemp()
try:
    os.chdir(here)
    code = 1 if main() else 0
finally:
    os.chdir("/")
    shutil.rmtree(here)
sys.exit(code)
