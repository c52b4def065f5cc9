#!/usr/bin/env python3
"""Modules use only what is below them: reads the #include lines of src/ and include/ and says which break the chain.

usage: chain_test.py SOURCE_DIR

    base <- {files, particles} <- shape <- rigid <- soft <- fluid <- world
         <- {scene, io, render} <- {serve, validate, bench} <- app

`surface` stands beside the world: it knows particles and shapes, and what is above the world may use it. Of the modules that
stand side by side only scene and render use another, io. Also: a file's own header comes first, an include names its module,
and public headers need nothing but public headers and C's own.
"""
import os
import re
import sys

LIBRARY = ["base", "files", "particles", "shape", "rigid", "soft", "fluid", "world"]
PROGRAM = [*LIBRARY, "surface", "io"]
# What a module may include besides itself and coulis/.
BELOW = {
    "base": [],
    "files": ["base"],
    "particles": ["base"],
    **{name: LIBRARY[:LIBRARY.index(name)] for name in LIBRARY[3:]},
    "surface": ["base", "particles", "shape"],
    "io": PROGRAM[:-1],
    "scene": PROGRAM,
    "render": PROGRAM,
    **{name: [*PROGRAM, "scene", "render"] for name in ("serve", "validate", "bench")},
    "app": [*PROGRAM, "scene", "render", "serve", "validate", "bench"],
}
STANDARD = {"assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits", "locale", "math", "setjmp",
            "signal", "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdio", "stdlib", "stdnoreturn",
            "string", "tgmath", "threads", "time", "uchar", "wchar", "wctype"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    """(line, '<' or '"', what is included) of each #include of a file."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line, text in enumerate(file, 1):
            match = INCLUDE.match(text)
            if match:
                found.append((line, *match.groups()))
    return found


def c_files(folder):
    """The .c and .h files below a folder, as paths from there."""
    paths = [os.path.relpath(os.path.join(where, name), folder)
             for where, _, names in os.walk(folder) for name in names if name.endswith((".c", ".h"))]
    return sorted(paths)


def check_source(source, path, faults):
    module, name = os.path.split(path)
    if module not in BELOW:
        faults.append(f"src/{path}: the chain in tests/chain_test.py has no module '{module}'")
        return
    found = includes(os.path.join(source, "src", path))
    for line, mark, target in found:
        if mark == "<":
            continue
        other = os.path.dirname(target)
        if not other or other.startswith("."):
            faults.append(f"src/{path}:{line}: '{target}' does not name its module")
        elif other != "coulis" and other != module and other not in BELOW[module]:
            faults.append(f"src/{path}:{line}: {module} is not above {other} ('{target}')")
    own = os.path.splitext(path)[0] + ".h"
    if name.endswith(".c") and os.path.exists(os.path.join(source, "src", own)) and (not found or found[0][2] != own):
        faults.append(f"src/{path}: its own header '{own}' does not come first")


def check_public(source, path, faults):
    for line, mark, target in includes(os.path.join(source, "include", path)):
        is_fine = os.path.splitext(target)[0] in STANDARD if mark == "<" else target.startswith("coulis/")
        if not is_fine:
            faults.append(f"include/{path}:{line}: '{target}' is neither a public header nor one of C's own")


def main():
    source = sys.argv[1]
    faults = []
    sources, public = c_files(os.path.join(source, "src")), c_files(os.path.join(source, "include"))
    for path in sources:
        check_source(source, path, faults)
    for path in public:
        check_public(source, path, faults)
    if not sources or not public:
        faults.append(f"{len(sources)} files found in src/, {len(public)} in include/")
    for fault in faults:
        print(fault)
    print(f"{len(sources) + len(public)} files, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
