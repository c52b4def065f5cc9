#!/usr/bin/env python3
"""Runs the scenes of tests/golden.csv and compares the hashes of their states with those in the file, on one thread and on two.

usage: golden_test.py COULIS SOURCE_DIR [--write]      --write puts the hashes that came out into the file
"""
import json
import os
import subprocess
import sys
import tempfile


def hash_of(coulis, source, case, threads):
    scene, method, frames = case
    with tempfile.TemporaryDirectory() as folder:
        command = [coulis, "run", scene, "--method", method, "--frames", frames, "--threads", str(threads)]
        subprocess.run([*command, "--export", "none", "--quiet", "--out", folder], stdin=subprocess.DEVNULL, check=True,
                       env={**os.environ, "COULIS_SCENES": os.path.join(source, "scenes")})
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
            return json.load(file)["state_hash"]


def main():
    coulis, source = sys.argv[1:3]
    path = os.path.join(source, "tests", "golden.csv")
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = next(i for i, line in enumerate(lines) if not line.startswith("#")) + 1  # behind the names of the columns
    faults = 0
    for i, line in enumerate(lines[first:], first):
        *case, expected = line.split(",")
        got = [hash_of(coulis, source, case, threads) for threads in (1, 2)]
        if "--write" in sys.argv:
            expected = got[0]
            lines[i] = ",".join([*case, expected])
        if got != [expected, expected]:
            faults += 1
            print(f"{' '.join(case)} frames: expected {expected}, got {got[0]} on one thread and {got[1]} on two")
    if "--write" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    print(f"{len(lines) - first} scenes, {faults} faults")
    return faults > 0 or len(lines) == first


if __name__ == "__main__":
    sys.exit(main())
