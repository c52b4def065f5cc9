#!/usr/bin/env python3
"""Nothing grows beyond what can be read at one sitting: lines of a C file, lines of a function, columns of a row.

usage: limits_test.py SOURCE_DIR

A function is counted from the first line of its head to its closing brace, which stands at the beginning of a line.
"""
import os
import sys

MOST_LINES, MOST_FUNCTION_LINES, MOST_COLUMNS = 800, 80, 130
FOLDERS = ["src", "include", "tests", "fuzz", "python"]


def functions(rows):
    """(line, name, count of lines) of each function whose body has lines of its own."""
    found = []
    head = brace = None
    for i, row in enumerate(rows):
        if brace is None and row == "{" and head is not None:
            brace = i
        elif brace is not None:
            if row == "}":
                name = rows[head].split("(")[0].split()[-1].lstrip("*")
                found.append((head + 1, name, i - head + 1))
                head = brace = None
        elif not row or row[0] in "#/}" or row.rstrip("\\ ")[-1:] in (";", "}"):
            head = None
        elif head is None and (row[0].isalpha() or row[0] == "_"):
            head = i
    return found


def check_file(source, path, faults):
    with open(os.path.join(source, path), encoding="utf-8") as file:
        rows = file.read().split("\n")
    for line, row in enumerate(rows, 1):
        if len(row) > MOST_COLUMNS:
            faults.append(f"{path}:{line}: {len(row)} columns, allowed are {MOST_COLUMNS}")
    if not path.endswith((".c", ".h")):
        return 0
    if len(rows) - 1 > MOST_LINES:
        faults.append(f"{path}: {len(rows) - 1} lines, allowed are {MOST_LINES}")
    found = functions(rows)
    for line, name, count in found:
        if count > MOST_FUNCTION_LINES:
            faults.append(f"{path}:{line}: {name} has {count} lines, allowed are {MOST_FUNCTION_LINES}")
    return len(found)


def main():
    source = sys.argv[1]
    faults = []
    file_count = function_count = 0
    for folder in FOLDERS:
        for where, _, names in sorted(os.walk(os.path.join(source, folder))):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".sh", ".py", ".cmake")) or name == "CMakeLists.txt":
                    file_count += 1
                    function_count += check_file(source, os.path.relpath(os.path.join(where, name), source), faults)
    if function_count < file_count:
        faults.append(f"only {function_count} functions found in {file_count} files: is this source code?")
    for fault in faults:
        print(fault)
    print(f"{file_count} files, {function_count} functions, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
