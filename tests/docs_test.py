#!/usr/bin/env python3
"""The documents keep their word: C in README.md and docs/library.md compiles without a warning and runs without a fault, README's
program is the one that the tests run, its scene passes `coulis check`, and every relative link leads to a file.

usage: docs_test.py SOURCE_DIR CC LIBRARY_DIR COULIS
"""
import os
import re
import subprocess
import sys
import tempfile

C_FLAGS = ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-Wno-unused"]
PREAMBLE = "#include <coulis/studio.h>\n#include <stdio.h>\n"
# The pieces of docs/library.md in one program: functions first, then the statements in their order on the page.
GUIDE = PREAMBLE + """
%(functions)s
int main(void)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    couWorld *world = couCreateWorld(&def, &faults);
    couShape *shape = couCreateShape(&(couShapeDef){.kind = cou_shapeSphere, .radius = 0.1f}, &faults);
    float amplitude = 0.1f;
    if (!world || !shape) return 1;
    listen();
    add_paddle(world, shape, &amplitude, &faults);
    close_taps_later(world, &faults);
%(statements)s
    for (int k = 0; k < faults.count; ++k) fprintf(stderr, "%%s: %%s\\n", faults.items[k].key, faults.items[k].message);
    int fault_count = faults.count;
    couShape_Release(shape);
    couDestroyWorld(world);
    couFaults_Clear(&faults);
    return fault_count > 0;
}
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blocks(text, language):
    """(line, text) of each fenced block of the language."""
    pattern = re.compile(r"^```%s\n(.*?)^```$" % language, re.M | re.S)
    return [(text.count("\n", 0, m.start()) + 2, m.group(1)) for m in pattern.finditer(text)]


class Compiler:
    def __init__(self, program, include, library_dir):
        self.before = [program, *C_FLAGS, "-I", include]
        self.after = ["-L", library_dir, "-lcoulis-studio", "-lcoulis", "-lm", f"-Wl,-rpath,{library_dir}"]

    def run(self, what, text, faults):
        """Compiles, links and runs the text; adds a fault if that does not go well."""
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "text.c"), os.path.join(folder, "text")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            result = subprocess.run([*self.before, source, "-o", program, *self.after], capture_output=True, text=True)
            if result.returncode != 0:
                faults.append(f"{what} does not compile:\n{result.stderr}")
                return
            result = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=1800)
            if result.returncode != 0:
                faults.append(f"{what} ends with {result.returncode}:\n{result.stdout}{result.stderr}")


def check_library(source, compiler, faults):
    functions, statements = "", ""
    for line, text in blocks(read(os.path.join(source, "docs", "library.md")), "c"):
        if "int main(" in text:
            compiler.run(f"docs/library.md:{line}", text, faults)
        elif re.search(r"^\w[^;=]*\)\n\{", text, re.M):
            functions += f'#line {line} "docs/library.md"\n{text}'
        else:
            statements += f'#line {line} "docs/library.md"\n{text}'
    compiler.run("docs/library.md", GUIDE % {"functions": functions, "statements": statements}, faults)


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
            result = subprocess.run([coulis, "check", path], capture_output=True, text=True, timeout=1800)
        if result.returncode != 0:
            faults.append(f"README.md:{line}: coulis check ends with {result.returncode}:\n{result.stdout}{result.stderr}")


def documents(source):
    pages = [name for name in os.listdir(source) if name.endswith(".md")]
    for folder, _, names in os.walk(os.path.join(source, "docs")):
        pages += [os.path.relpath(os.path.join(folder, name), source) for name in names if name.endswith(".md")]
    return sorted(pages)


def check_links(source, faults):
    for page in documents(source):
        text = re.sub(r"^```.*?^```$", "", read(os.path.join(source, page)), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
            target = target.split("#")[0]
            if not target or re.match(r"[a-z]+:", target):
                continue
            if not os.path.exists(os.path.join(source, os.path.dirname(page), target)):
                faults.append(f"{page}: link to {target}, which is not there")


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    source, cc, library_dir, coulis = sys.argv[1:]
    faults = []
    check_library(source, Compiler(cc, os.path.join(source, "include"), library_dir), faults)
    check_snippet(source, faults)
    check_links(source, faults)
    check_scenes(source, coulis, faults)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
