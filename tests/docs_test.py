#!/usr/bin/env python3
"""The documents keep their word: C in README.md and docs/library.md compiles, README's program is the one that the tests run,
its scene passes `coulis check`, and every relative link leads to a file.

usage: docs_test.py SOURCE_DIR CC [COULIS]
"""
import os
import re
import subprocess
import sys
import tempfile

C_FLAGS = ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-fsyntax-only"]
PREAMBLE = "#include <coulis/coulis.h>\n#include <stdio.h>\n"
# Pieces that stand in a function may use what the page has introduced before.
WRAPPED = PREAMBLE + "void piece(couWorld *world, couMaterialId %s, couFaults faults);\n" \
    "void piece(couWorld *world, couMaterialId %s, couFaults faults)\n{\n%s}\n"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blocks(text, language):
    """(line, text) of each fenced block of the language."""
    pattern = re.compile(r"^```%s\n(.*?)^```$" % language, re.M | re.S)
    return [(text.count("\n", 0, m.start()) + 2, m.group(1)) for m in pattern.finditer(text)]


def compile_c(compiler, include, text):
    command = [compiler, *C_FLAGS, "-I", include, "-x", "c", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def check_c(source, compiler, path, faults):
    include = os.path.join(source, "include")
    found = blocks(read(os.path.join(source, path)), "c")
    if not found:
        faults.append(f"{path}: no C block found")
    for line, text in found:
        if "{\n" in text and re.search(r"^\w[^;=]*\)\n\{", text, re.M):  # functions: stands by itself
            whole = text if "#include" in text else PREAMBLE + re.sub(r"^(?!static)(\w+ \w+\(.*\))\n\{", r"\1;\n\1\n{", text, flags=re.M)
        else:
            name = "unused" if "couMaterialId material =" in text else "material"
            whole = WRAPPED % (name, name, text)
        result = compile_c(compiler, include, whole)
        if result.returncode != 0:
            faults.append(f"{path}:{line}: does not compile:\n{result.stderr}")


def check_snippet(source, faults):
    snippet = read(os.path.join(source, "tests", "readme_snippet.c"))
    if snippet not in [text for _, text in blocks(read(os.path.join(source, "README.md")), "c")]:
        faults.append("README.md: its C program is not tests/readme_snippet.c; copy one over the other")


def check_scenes(source, coulis, faults):
    found = blocks(read(os.path.join(source, "README.md")), "lua")
    if not found:
        faults.append("README.md: no scene found")
    for line, text in found:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.lua")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            result = subprocess.run([coulis, "check", path], capture_output=True, text=True)
        if result.returncode != 0:
            faults.append(f"README.md:{line}: coulis check exits {result.returncode}:\n{result.stdout}{result.stderr}")


def check_links(source, faults):
    listed = subprocess.run(["git", "-C", source, "ls-files", "*.md"], capture_output=True, text=True).stdout.split()
    for path in listed or ["README.md", "CONTRIBUTING.md", "docs/README.md", "docs/library.md", "docs/internals.md"]:
        if not os.path.exists(os.path.join(source, path)):
            continue
        text = re.sub(r"^```.*?^```$", "", read(os.path.join(source, path)), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
            target = target.split("#")[0]
            if not target or re.match(r"[a-z]+:", target):
                continue
            if not os.path.exists(os.path.join(source, os.path.dirname(path), target)):
                faults.append(f"{path}: link to {target}, which is not there")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    source, compiler = sys.argv[1:3]
    faults = []
    check_c(source, compiler, "README.md", faults)
    check_c(source, compiler, os.path.join("docs", "library.md"), faults)
    check_snippet(source, faults)
    check_links(source, faults)
    if len(sys.argv) == 4:
        check_scenes(source, sys.argv[3], faults)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
