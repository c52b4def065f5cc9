"""README's program in C, and the same in five lines of Python: the same bits."""
import os
import re
import subprocess
import sys

HASH = """
    couState state = {0};
    couWorld_SaveState(world, &state);
    printf("%016llx\\n", (unsigned long long)couState_Hash(&state));
    couState_Clear(&state);
"""


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def test_same_hash_as_the_c_program(source, tmp_path):
    with open(os.path.join(source, "tests", "readme_snippet.c"), encoding="utf-8") as file:
        program = file.read()
    head, mark, tail = program.partition("    couShape_Release(drop.shape);")
    assert mark
    (tmp_path / "readme.c").write_text(head + HASH + mark + tail, encoding="utf-8")
    folder = os.environ["COULIS_LIBRARY_DIR"]
    run([*os.environ.get("CC", "cc").split(), "-std=c17", "-I", os.path.join(source, "include"), tmp_path / "readme.c", "-L",
         folder, f"-Wl,-rpath,{folder}", "-lcoulis", "-o", tmp_path / "readme"])
    wanted = run([tmp_path / "readme"]).splitlines()

    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        snippets = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
    assert len(snippets) == 1, "README.md has its program in Python"
    lines = [line for line in snippets[0].splitlines() if line.strip() and not line.startswith(("import", "print", "#"))]
    assert len(lines) <= 5, lines
    (tmp_path / "readme.py").write_text(snippets[0], encoding="utf-8")
    assert run([sys.executable, tmp_path / "readme.py"]).split()[-1] == wanted[-1]


def test_programs_of_the_page_run(source, tmp_path):
    """docs/python.md: all of its programs, one after the other, as a reader would type them."""
    with open(os.path.join(source, "docs", "python.md"), encoding="utf-8") as file:
        programs = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
    assert len(programs) > 5
    path = tmp_path / "page.py"
    path.write_text("\n".join(programs), encoding="utf-8")
    run([sys.executable, path], cwd=tmp_path)
