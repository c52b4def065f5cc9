"""Coulis: particle simulation of fluids, viscoelastic matter, bodies and solids.

    import coulis
    world = coulis.World(spacing=0.02)
    world.add_body(shape=coulis.plane())
    world.add_fluid(shape=coulis.sphere(0.15), at=(0, 0.25, 0), material="honey")
    world.advance(0.5)
    print(world.particles.position.mean(axis=0), f"{world.hash:016x}")

SI units, y up. `coulis.raw` has the C functions as they are.
"""
import atexit as _atexit
import logging as _logging
import math as _math

from . import _api, _library
from ._api import *  # noqa: F401,F403  the generated classes and functions
from ._columns import Column
from ._convert import HOLDERS as _HOLDERS
from ._convert import Bounds, Pose, Struct
from ._csv import read_csv
from ._data import CONSTANTS as _CONSTANTS
from ._errors import BusyError, CoulisError, Fault, FaultError, GoneError, SceneError
from ._objects import Handle, Particles, Samples
from ._owned import allocate_frame, list_scenes, place_vertices, read_frame_column, unpack_distance_grid, write_pfm
from ._pictures import picture
from ._tables import Param, Table, material_names, tables

__version__ = _CONSTANTS["COU_VERSION"]
AUTO = float("nan")  #: a number that Coulis shall choose itself


class raw:
    """The library as C has it: raw.lib.couWorld_Step(...), raw.ffi. Nothing is checked and nothing is freed by itself."""

    ffi, lib = _library.ffi, _library.lib


# --- Shapes ------------------------------------------------------------------------------------------------------------------


def plane(axis=(0, 1, 0)):
    """Solid below the plane through the origin with normal `axis`."""
    return _api.Shape("plane", axis=axis)


def box(size, rounding=0.0):
    """A box of these edge lengths [m] around the origin; two are enough in 2D. `rounding`: radius of its edges [m]."""
    size = tuple(size) if len(size) == 3 else (*size, max(1.0, 2.0 * rounding))
    return _api.Shape("box", size=size, rounding=rounding)


def sphere(radius):
    """A ball [m]; a disc in 2D."""
    return _api.Shape("sphere", radius=radius)


def capsule(radius, height):
    """`height` [m] is that of the straight part, along y."""
    return _api.Shape("capsule", radius=radius, height=height)


def cylinder(radius, height):
    """Along y, centred [m]."""
    return _api.Shape("cylinder", radius=radius, height=height)


def cone(radius, height, radius2=0.0):
    """`radius` at the base, `radius2` at the top, along y, centred [m]."""
    return _api.Shape("cone", radius=radius, height=height, radius2=radius2)


def torus(radius, radius2):
    """A ring of `radius` in the xz plane, a tube of `radius2` [m]."""
    return _api.Shape("torus", radius=radius, radius2=radius2)


def disk(radius):
    """A flat disc with normal y [m], for emitters."""
    return _api.Shape("disk", radius=radius)


def polygon(points, height=1.0, outlines=()):
    """Corners in the xy plane [m], extruded by `height` along z, centred. `outlines`: how many of them each outline has, where
    there are several; one within another is a hole."""
    return _api.Shape("polygon", points=points, height=height, outlines=list(outlines))


def shell(shape, thickness, is_open=False):
    """A wall around a shape, which is free space then; open: without its top."""
    return _api.Shape("shell", children=[shape], thickness=thickness, is_open=is_open)


def union(*shapes):
    """All of them as one."""
    return _api.Shape("union", children=list(shapes))


def difference(shape, *others):
    """A shape without the others, which must stick out where they open it."""
    return _api.Shape("difference", children=[shape, *others])


def intersection(*shapes):
    """What all of them have in common."""
    return _api.Shape("intersection", children=list(shapes))


def text(words, font, height, depth=None, tolerance=None):
    """Words as a shape, the middle of its bounds at the origin. `font`: a file, or a name of font_names(). `height` of a capital
    H, `depth` along z, `tolerance` of curves [m]; None: a quarter and a 500th of the height."""
    path = _api.find_font(font) if font in _api.font_names() else font
    if not path:
        raise FileNotFoundError(f"the font {font!r} is not installed (Debian package fonts-dejavu-core)")
    return _api.create_text_shape(text=words, font=path, height=height, depth=depth, tolerance=tolerance)


def mesh_shape(mesh, cell, max_bytes=0, threads=0):
    """The solid within a mesh, by its distance grid of `cell` [m]."""
    return _api.Shape("mesh", grid=_api.create_distance_grid(mesh, cell, max_bytes, threads))


def rotation(axis, degrees):
    """The unit quaternion of a turn about an axis."""
    length = _math.sqrt(sum(x * x for x in axis))
    half = _math.radians(degrees) / 2
    return (*(x / length * _math.sin(half) for x in axis), _math.cos(half))


# --- Messages ----------------------------------------------------------------------------------------------------------------

_logger = _logging.getLogger("coulis")
_LEVELS = (_logging.DEBUG, _logging.INFO, _logging.WARNING, _logging.ERROR)


@raw.ffi.callback("couLogFcn *")
def _log_line(_, level, message):
    _logger.log(_LEVELS[level], "%s", _library.text(message))


def set_log(function=None):
    """Calls function(level, message) for each message of the library; None: Python's logger "coulis", as at the start."""
    made = _log_line if function is None else raw.ffi.callback(
        "couLogFcn *", lambda _, level, message: function(_LEVELS[level], _library.text(message)))
    _HOLDERS.append(made)
    raw.lib.couSetLog(made, raw.ffi.NULL)


set_log()
_atexit.register(raw.lib.couSetLog, raw.ffi.NULL, raw.ffi.NULL)  # what is freed later must not call Python
