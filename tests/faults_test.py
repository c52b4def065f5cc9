#!/usr/bin/env python3
"""Faults injected one after the other: every allocation of a short run fails once, every write, every rename.

usage: faults_test.py COULIS SHIM

A run with liquid, a body, a solid and a blower is resumed for two frames and given one fault. It must end with exit code 0, 1 or
2 and not by a signal, say what was wrong unless it ends well, and lose nothing: resumed once more, without faults, it comes to
the state that it would have had. With COU_LONG_TESTS=1 every call fails once; otherwise a sample of them, evenly spread.
"""
import os
import shutil
import sys
import tempfile

from faulty_runs import RESUME, START, Runs, copy, state_hash, write_scene

SAMPLE = 40
runs = Runs(sys.argv[1], sys.argv[2])
is_long = os.environ.get("COU_LONG_TESTS") == "1"


def check(fault, expected):
    """What went wrong, or None."""
    copy("good", "case")
    result = runs.run(RESUME, fault)
    if result.returncode not in (0, 1, 2):
        return f"exit code {result.returncode}: {result.stderr[-300:]}"
    if result.returncode != 0 and not result.stderr.strip():
        return "no message"
    if any(name.endswith(".tmp") for name in os.listdir("case")):
        return f"left {[name for name in os.listdir('case') if name.endswith('.tmp')]}"
    again = runs.run([*RESUME, "--quiet"])
    if again.returncode != 0:
        return f"cannot go on afterwards: {again.stderr[-300:]} (after: {result.stderr[-200:]})"
    if state_hash("case") != expected:
        return "another state afterwards"
    return None


def main():
    write_scene()
    runs.must(START)
    copy("good", "case")
    counts = runs.count(RESUME)
    expected = state_hash("case")
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
