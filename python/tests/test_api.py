"""The whole API is there, with hints and docstrings."""
import inspect
import re
import subprocess
import sys

import pytest

import coulis
from coulis import _by_hand, _data


def find(path):
    """coulis.World.step and its likes, without calling properties."""
    found = coulis
    for name in path.split("."):
        found = inspect.getattr_static(found, name)
    return found


def test_every_public_function_has_a_place():
    homeless = [name for name in _data.FUNCTIONS if name not in _data.BOUND and name not in _by_hand.BY_HAND
                and not _by_hand.is_lifetime(name) and not _by_hand.is_table(name)]
    assert not homeless, f"bind these by a rule (plans.py) or by hand (_by_hand.py): {homeless}"


def test_places_are_there():
    for name, place in {**_data.BOUND, **_by_hand.BY_HAND}.items():
        assert name in _data.FUNCTIONS, f"{name} is in no header"
        if not place.startswith("("):
            find(place.rstrip("()"))


def test_headers_and_package_agree(source):
    """What the compiler sees is what a plain search finds: nothing is lost on the way."""
    import os
    found = set()
    for name in os.listdir(os.path.join(source, "include", "coulis")):
        with open(os.path.join(source, "include", "coulis", name), encoding="utf-8") as file:
            found |= set(re.findall(r"^COU_API[^;(]*?\b(cou\w+)\(", file.read(), re.M))
    assert found == set(_data.FUNCTIONS)


def test_raw_functions_are_there():
    missing = [name for name in _data.FUNCTIONS if not hasattr(coulis.raw.lib, name)]
    assert not missing


def test_docstrings_come_from_the_tables():
    text = coulis.World.add_body.__doc__
    assert "density: of a body that moves freely [kg/m^3]; a number > 0 and <= 100000, default 1000" in text
    assert "couWorld_AddBody()" in text
    assert "motion" in inspect.signature(coulis.World.add_body).parameters


def test_all_methods_have_docstrings_and_hints():
    for place in _data.BOUND.values():
        found = find(place)
        found = found.fget if isinstance(found, property) else found
        assert found.__doc__, place
        if found.__module__ == "coulis._api":
            assert "return" in found.__annotations__, place


def test_structs_have_hints():
    assert coulis.StepReport.__annotations__["substeps"] == "int"
    assert "compression beyond rest density" in coulis.StepReport.__doc__


def test_tables():
    tables = coulis.tables()
    assert {"material", "body", "pvfs", "sph"} <= set(tables)
    spacing = next(row for row in tables["pvfs"].params if row.name == "height_error")
    assert spacing.help and spacing.range


def test_the_tree_is_not_needed_for_the_version():
    assert coulis.__version__ == coulis.version()


def test_a_wrong_library_is_refused(tmp_path):
    code = "import coulis"
    import os
    result = subprocess.run([sys.executable, "-c", code], env={**os.environ, "COULIS_LIBRARY": str(tmp_path)}, text=True,
                            capture_output=True, check=False)
    assert result.returncode == 1 and "COULIS_LIBRARY" in result.stderr.splitlines()[-1]


def test_words_for_numbers():
    assert coulis.Shape("sphere", radius=1).kind == coulis.ShapeKind.SPHERE
    assert coulis.phase_name("pressure") == coulis.phase_name(coulis.Phase.PRESSURE)
    with pytest.raises(ValueError, match="known are"):
        coulis.phase_name("presure")
    with pytest.raises(ValueError):
        coulis.phase_name(1000)
