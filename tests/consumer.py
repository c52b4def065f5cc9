#!/usr/bin/env python3
"""A user in Python: cffi reads the public headers, loads the shared library, and a drop falls.

usage: consumer.py INCLUDE_DIR LIBCOULIS_SO CC
"""
import os
import subprocess
import sys
import tempfile

import cffi


def declarations(include, cc):
    """The public headers as cffi wants them: preprocessed, without C's own headers and without attributes."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("math", "stdarg", "stdbool", "stddef", "stdint"):
            open(os.path.join(empty, name + ".h"), "w").close()
        return subprocess.run([cc, "-E", "-P", "-nostdinc", "-D__attribute__(x)=", "-I", empty, "-I", include, "-x", "c", "-"],
                              input="#include <coulis/coulis.h>\n", check=True, capture_output=True, text=True).stdout


def make_drop(ffi, lib, faults):
    world_def = ffi.new("couWorldDef *", lib.couDefaultWorldDef())
    world_def.spacing = 0.03
    world = lib.couCreateWorld(world_def, faults)
    ball = lib.couCreateShape(ffi.new("couShapeDef *", {"kind": lib.cou_shapeSphere, "radius": 0.12}), faults)
    drop = ffi.new("couFluidDef *", lib.couDefaultFluidDef())
    drop.material = lib.couWorld_AddMaterial(world, ffi.new("couMaterialDef *", lib.couDefaultMaterialDef()), faults)
    drop.shape = ball
    lib.couWorld_AddFluid(world, drop, faults)
    lib.couShape_Release(ball)
    return world


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    include, library, cc = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(include, cc))
    lib = ffi.dlopen(library)
    version = ffi.string(lib.couVersion()).decode()
    assert f'COU_VERSION "{version}"' in open(os.path.join(include, "coulis/base.h"), encoding="utf-8").read(), version

    faults = ffi.new("couFaults *")
    assert lib.couCreateShape(ffi.new("couShapeDef *", {"kind": lib.cou_shapeSphere, "radius": -1}), faults) == ffi.NULL
    assert faults.count == 1 and b"radius" in ffi.string(faults.items[0].key), ffi.string(faults.items[0].message)
    lib.couFaults_Clear(faults)

    world = make_drop(ffi, lib, faults)
    assert faults.count == 0, ffi.string(faults.items[0].message)
    count = lib.couWorld_Particles(world).count
    report = lib.couWorld_Advance(world, 0.2)
    assert report.substeps > 0 and report.nan_count == 0
    view = lib.couWorld_Particles(world)
    assert view.count == count > 100, (view.count, count)
    height = sum(view.position[i].y for i in range(view.count)) / view.count
    # y = -g t^2 / 2 = -0.196 m, and a little more as the scheme is of first order in the step.
    assert -0.25 < height < -0.19, height
    assert sorted(view.id[0:view.count]) == list(range(count)), "ids are not 0 to count - 1"
    lib.couDestroyWorld(world)


main()
