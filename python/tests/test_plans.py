"""Rules that bind functions: also those that are not there yet."""
import os
import shutil
import sys

import pytest

from conftest import SOURCE

sys.path.insert(0, os.path.join(SOURCE, "python"))
headers = pytest.importorskip("headers")
plans = pytest.importorskip("plans")

NEW = """
#include "coulis/coulis.h"
typedef struct couProbeId {
    uint16_t index1, generation;
} couProbeId;
/// What is asked.
typedef struct couProbeDef {
    char name[COU_NAME_SIZE]; ///< unique
    couVec3 corners[8];       ///< where [m]
    int corner_count;
} couProbeDef;
COU_API couProbeDef couDefaultProbeDef(void);
/// Adds one.
COU_API couProbeId couWorld_AddProbe(couWorld *world, const couProbeDef *def, couFaults *faults);
COU_API couProbeId couWorld_FindProbe(const couWorld *world, const char *name);
COU_API int couWorld_ProbeValues(const couWorld *world, couProbeId probe, double *values, int capacity); ///< the last ones
COU_API bool couWorld_PeekProbe(couWorld *world, couProbeId probe, void *secret, couFaults *faults);
"""


@pytest.fixture
def grown(tmp_path):
    """The public headers and one more."""
    shutil.copytree(os.path.join(SOURCE, "include"), tmp_path / "include")
    (tmp_path / "include" / "coulis" / "probe.h").write_text(NEW, encoding="utf-8")
    with open(tmp_path / "include" / "coulis" / "studio.h", "a", encoding="utf-8") as file:
        file.write('#include "coulis/probe.h"\n')
    return headers.Headers(str(tmp_path / "include"), os.environ.get("CC", "cc"))


def test_new_functions_come_by_themselves(grown):
    planner = plans.Planner(grown)
    found = {function.name: planner.plan(function) for function in grown.functions if "Probe" in function.name}
    assert found["couWorld_AddProbe"] == (("handle", "Probe"), [("self",), ("struct", "couProbeDef"), ("faults",)], False)
    assert found["couWorld_FindProbe"] == (("handle", "Probe"), [("self",), ("str",)], True)
    roles = [("self",), ("handle", "Probe"), ("room", "double"), ("capacity",)]
    assert found["couWorld_ProbeValues"] == (("number", "int"), roles, True)
    assert found["couWorld_PeekProbe"] is None, "what the rules do not know is left to hands"


def test_comments_are_found(grown):
    assert grown.comments["couWorld_AddProbe"] == "Adds one."
    assert grown.comments["couWorld_ProbeValues"] == "the last ones"
    assert grown.comments["couProbeDef.corners"] == "where [m]"
    assert grown.constants["COU_NAME_SIZE"] == 32
