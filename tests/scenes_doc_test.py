#!/usr/bin/env python3
"""Every piece of Lua in docs/*.md passes `coulis check` (a piece without scene{} gets one), and so does every scene
of the gallery,
which must also have a comment on its first line, a title and a note.

usage: scenes_doc_test.py COULIS SOURCE_DIR
"""
import glob
import os
import re
import subprocess
import sys
import tempfile


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check(coulis, path):
    """What `coulis check` has against the file, or None."""
    result = subprocess.run([coulis, "check", path], capture_output=True, text=True, timeout=120)
    return None if result.returncode == 0 else f"coulis check ends with {result.returncode}:\n{result.stdout}{result.stderr}"


def check_pages(coulis, source, faults):
    pieces = 0
    for page in sorted(glob.glob(os.path.join(source, "docs", "*.md"))):
        text = read(page)
        for match in re.finditer(r"^```lua\n(.*?)^```$", text, re.M | re.S):
            pieces += 1
            piece = match.group(1)
            if not re.search(r"^scene\b", piece, re.M):
                piece = "scene { spacing = 0.02 }\n" + piece
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "scene.lua")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(piece)
                fault = check(coulis, path)
            if fault:
                faults.append(f"{page}:{text.count(chr(10), 0, match.start()) + 2}: {fault}")
    if pieces == 0:
        faults.append("no Lua found on the pages")


def check_gallery(coulis, source, faults):
    scenes = sorted(glob.glob(os.path.join(source, "scenes", "*.lua")))
    if not scenes:
        faults.append("no scenes found")
    for path in scenes:
        text = read(path)
        if not text.startswith("-- "):
            faults.append(f"{path}:1: the first line must be a comment that says what it is")
        for key in "title", "note":
            if not re.search(r'\b%s = "..' % key, text):
                faults.append(f"{path}: has no {key}")
        fault = check(coulis, path)
        if fault:
            faults.append(f"{path}: {fault}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    coulis, source = sys.argv[1:]
    faults = []
    check_pages(coulis, source, faults)
    check_gallery(coulis, source, faults)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
