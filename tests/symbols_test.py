#!/usr/bin/env python3
"""What the libraries show and need. Each shared library shows the functions that its public headers declare, all of them marked
COU_API, and libcoulis besides only those marked COU_INTERNAL_API, for libcoulis-studio; nothing without cou in front. Sonames and
needed libraries are as documented. Memory is asked for in base.c alone, so that the allocator's hook sees all of it.

usage: symbols_test.py SOURCE_DIR LIBCOULIS_A LIBCOULIS_SO LIBCOULIS_STUDIO_SO
"""
import os
import re
import subprocess
import sys

DECLARATION = re.compile(r"^((?:COU_API|COU_INTERNAL_API) )?([a-z][\w *]*[ *])(cou\w+)\(", re.M)
ALLOCATORS = {"malloc", "calloc", "realloc", "reallocarray", "free", "strdup", "strndup", "aligned_alloc", "posix_memalign",
              "memalign", "valloc", "getline", "getdelim", "asprintf", "vasprintf", "open_memstream", "fopen", "fdopen",
              "qsort", "qsort_r"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"//.*", "", file.read())


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declared(path):
    """{name: mark} of the functions that a header declares."""
    functions = {}
    for mark, kind, name in DECLARATION.findall(read(path)):
        if not re.match(r"(typedef|static|return|else)\b", kind):
            functions[name] = mark.strip()
    return functions


def included(include, header, seen):
    """The header and all public ones that it includes."""
    if header not in seen:
        seen.add(header)
        for other in re.findall(r'#include "(coulis/\w+\.h)"', read(os.path.join(include, header))):
            included(include, other, seen)
    return seen


def public(include, headers, faults):
    names = set()
    for header in sorted(headers):
        for name, mark in declared(os.path.join(include, header)).items():
            names.add(name)
            if mark != "COU_API":
                faults.append(f"{header}: {name} is not marked COU_API")
    return names


def internal(source, faults):
    names = set()
    for folder, _, files in os.walk(os.path.join(source, "src")):
        for file in files:
            if file.endswith(".h"):
                marks = declared(os.path.join(folder, file))
                names |= {name for name, mark in marks.items() if mark == "COU_INTERNAL_API"}
                for name, mark in marks.items():
                    if mark == "COU_API":
                        faults.append(f"{file}: {name} is COU_API, but in no public header")
    return names


def shown(library):
    return {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", library).splitlines()}


def compare(library, expected, faults):
    got = shown(library)
    name = os.path.basename(library)
    faults += [f"{name} shows {symbol}, which does not begin with cou" for symbol in sorted(got) if not symbol.startswith("cou")]
    faults += [f"{name} shows {symbol}, which no header declares" for symbol in sorted(got - expected)]
    faults += [f"{name} does not show {symbol}, which a header declares" for symbol in sorted(expected - got)]


def check_dynamic(library, soname, needed, faults):
    text = run("readelf", "-d", library)
    got = re.findall(r"\(SONAME\).*\[(.*)\]", text)
    if got != [soname]:
        faults.append(f"{library}: expected the soname {soname}, got {got}")
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
        if not re.match(needed, name):
            faults.append(f"{library} needs {name}")


def check_memory(archive, faults):
    for line in run("nm", "-u", "-A", archive).splitlines():
        symbol, member = line.split()[-1].split("@")[0], line.split(":")[1]
        if symbol in ALLOCATORS and member != "base.c.o":
            faults.append(f"{member} uses {symbol}(): memory comes from couAlloc(), order from couSort()")


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    source, archive, core, studio = sys.argv[1:]
    include = os.path.join(source, "include")
    faults = []
    core_headers = included(include, "coulis/coulis.h", set())
    core_names = public(include, core_headers, faults)
    studio_names = public(include, included(include, "coulis/studio.h", set()) - core_headers, faults)
    if len(core_names) < 100 or len(studio_names) < 30:
        faults.append(f"found only {len(core_names)} and {len(studio_names)} functions in the headers")
    compare(core, core_names | internal(source, faults), faults)
    compare(studio, studio_names, faults)
    major = re.search(r"COU_VERSION_MAJOR (\d+)", read(os.path.join(include, "coulis/base.h"))).group(1)
    system = r"lib(c|m|pthread|gomp|omp|ode|qhull_r|gcc_s)\.so|ld-linux"
    check_dynamic(core, f"libcoulis.so.{major}", system, faults)
    studio_system = rf"{system}|libcoulis\.so\.{major}$|lib(lua|hdf5|png|z\.|embree|OpenEXRCore|freetype|assimp|jansson)"
    check_dynamic(studio, f"libcoulis-studio.so.{major}", studio_system, faults)
    check_memory(archive, faults)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
