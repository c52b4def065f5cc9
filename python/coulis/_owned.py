"""Structs of arrays that the library fills: surfaces, frames, pictures, states. Their arrays are numpy's without a copy."""
import os
import struct
import zlib

import numpy as np

from . import _convert as convert
from ._calls import call
from ._columns import owned_array
from ._errors import CoulisError, Faults, FaultError
from ._library import ffi, lib, text


class Owned:
    """A struct whose arrays live as long as it, or a numpy array of it, does."""

    C_NAME = ""

    @classmethod
    def _take(cls, pointer):
        made = cls.__new__(cls)
        free = getattr(lib, f"{cls.C_NAME}_Clear", None) or getattr(lib, f"couFree{cls.C_NAME[3:]}")
        made._cdata = ffi.gc(pointer, free)
        return made

    def _struct(self):
        return self._cdata

    def _array(self, name, count):
        return owned_array(getattr(self._cdata, name), count, self._cdata, is_writable=True)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return convert.to_python(getattr(self._cdata, name))


class SurfaceBase(Owned):
    def _per_vertex(self, name):
        return self._array(name, self._cdata.vertex_count)

    vertices = property(lambda self: self._per_vertex("vertices"), doc="[m]; no copy.")
    normals = property(lambda self: self._per_vertex("normals"), doc="Unit, outward; no copy; None where there are none.")
    velocities = property(lambda self: self._per_vertex("velocities"), doc="[m/s]; no copy; None where there are none.")
    colors = property(lambda self: self._per_vertex("colors"), doc="Linear RGB; no copy; None where there are none.")
    nearest_ids = property(lambda self: self._per_vertex("nearest_ids"), doc="Of the nearest particle; no copy.")
    materials = property(lambda self: self._per_vertex("materials"), doc="Of the nearest particle; no copy.")

    @property
    def indices(self):
        """Triangles, or segments in 2D; no copy."""
        return self._array("indices", (self._cdata.element_count, self._cdata.dimension))

    def save(self, path, time=0.0):
        """By extension: .obj, .ply, .vtp; .svg for 2D."""
        call("couWriteSurface", path, self, time)

    def __repr__(self):
        return f"<coulis.Surface: {self.vertex_count} vertices, {self.element_count} elements>"


class FrameBase(Owned):
    def _column(self, name):
        return self._array(name, self._cdata.count)

    position = property(lambda self: self._column("position"), doc="[m]; no copy.")
    velocity = property(lambda self: self._column("velocity"), doc="[m/s]; no copy.")
    id = property(lambda self: self._column("id"), doc="No copy.")
    density = property(lambda self: self._column("density"), doc="Relative to rest; no copy.")
    material = property(lambda self: self._column("material"), doc="Its number; no copy.")
    pressure = property(lambda self: self._column("pressure"), doc="[Pa]; no copy; None where there is none.")

    def __len__(self):
        return self._cdata.count

    def column(self, name):
        """One number for each particle: speed, x, y, z, vx, vy, vz, density, pressure, id, material."""
        values = np.zeros(max(len(self), 1), np.float32)
        if not lib.couFrame_Column(self._cdata, name.encode(), ffi.from_buffer("float[]", values, True)):
            raise KeyError(f"the frame has no column {name!r}")
        return values[:len(self)]

    @property
    def missing_names(self):
        """What the file that was read does not have."""
        return call("couFrame_Missing", self)

    def points(self, dimension=3):
        """What build_surface() takes as its points."""
        return {"dimension": dimension, "positions": self.position, "velocities": self.velocity, "ids": self.id,
                "materials": self.material}

    def surface(self, dimension=3, **fields):
        """The surface of the particles; `spacing` [m] must be given."""
        return call("couBuildSurface", fields, self.points(dimension))

    def save(self, path):
        """As .vtp or .ply, by extension."""
        writers = {".vtp": "couWriteVtp", ".ply": "couWritePly"}
        ending = os.path.splitext(os.fspath(path))[1]
        if ending not in writers:
            raise ValueError(f"{path}: a frame is written as {' or '.join(writers)}")
        call(writers[ending], path, self)

    def __repr__(self):
        return f"<coulis.Frame: {len(self)} particles at {self.time:.4g} s>"


class SplatsBase(Owned):
    indices = property(lambda self: self._array("indices", self._cdata.count), doc="Of the particle; no copy.")
    normals = property(lambda self: self._array("normals", self._cdata.count), doc="Unit; zero for a droplet; no copy.")
    radii = property(lambda self: self._array("radii", self._cdata.count), doc="[m]; no copy.")


class ImageBase(Owned):
    @property
    def array(self):
        """Height x width x 3, 8-bit sRGB, rows from the top; no copy."""
        return self._array("rgb", (self._cdata.height, self._cdata.width, 3))

    rgb = array

    @classmethod
    def from_array(cls, array):
        """From height x width x 3 numbers of 8 bits."""
        array = np.ascontiguousarray(array, np.uint8)
        if array.ndim != 3 or array.shape[2] != 3:
            raise ValueError(f"height x width x 3 numbers are needed, got {array.shape}")
        made = cls.__new__(cls)
        made._held = array
        made._cdata = ffi.new("couImage *", (array.shape[1], array.shape[0], ffi.cast("uint8_t *", array.ctypes.data)))
        return made

    def save(self, path):
        """As a PNG file."""
        call("couWritePng", path, self)

    def _repr_png_(self):
        """The picture as a notebook shows it."""
        array = self.array
        rows = np.concatenate([np.zeros((len(array), 1), np.uint8), array.reshape(len(array), -1)], axis=1)

        def chunk(name, data):
            return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

        head = struct.pack(">IIBBBBB", array.shape[1], array.shape[0], 8, 2, 0, 0, 0)
        body = zlib.compress(rows.tobytes(), 6)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")

    def __repr__(self):
        return f"<coulis.Image: {self.width} x {self.height}>"


class LayersBase(Owned):
    def _layer(self, name):
        return self._array(name, (self._cdata.height, self._cdata.width))

    radiance = property(lambda self: self._layer("radiance"), doc="Linear RGB; no copy.")
    albedo = property(lambda self: self._layer("albedo"), doc="No copy.")
    normal = property(lambda self: self._layer("normal"), doc="No copy.")
    depth = property(lambda self: self._layer("depth"), doc="[m]; no copy.")
    alpha = property(lambda self: self._layer("alpha"), doc="0 to 1; no copy.")


class StateBase(Owned):
    TYPES = {np.dtype(np.uint8): 0, np.dtype(np.uint32): 1, np.dtype(np.uint64): 2, np.dtype(np.float32): 3,
             np.dtype(np.float64): 4}

    def __init__(self):
        self._cdata = ffi.gc(ffi.new("couState *"), lib.couState_Clear)

    @property
    def arrays(self):
        """The arrays by name ("particles/position"...); no copy: what is written into them is what load_state() loads."""
        dtypes = {number: dtype for dtype, number in self.TYPES.items()}
        names = {np.dtype(np.uint8): "uint8_t *", np.dtype(np.uint32): "uint32_t *", np.dtype(np.uint64): "uint64_t *",
                 np.dtype(np.float32): "float *", np.dtype(np.float64): "double *"}
        found = {}
        for one in self._cdata.arrays[0:self._cdata.count]:
            shape = (one.count, one.components) if one.components > 1 else (one.count,)
            found[text(one.name)] = owned_array(ffi.cast(names[dtypes[one.type]], one.data), shape, self._cdata, is_writable=True)
        return found

    @property
    def units(self):
        """The units by the arrays' names."""
        return {text(one.name): text(one.unit) for one in self._cdata.arrays[0:self._cdata.count]}

    def add(self, name, values, unit=""):
        """Appends a copy of an array; arrays that were taken before stay as they are."""
        values = np.ascontiguousarray(values)
        if values.dtype not in self.TYPES or values.ndim not in (1, 2):
            raise TypeError(f"{name}: rows of uint8, uint32, uint64, float32 or float64 are needed")
        if len(name.encode()) >= 64 or len(unit.encode()) >= 16:
            raise ValueError(f"{name}: names have at most 63 bytes, units 15")
        width = values.shape[1] if values.ndim == 2 else 1
        data = ffi.cast("void *", values.ctypes.data) if values.size else ffi.NULL
        added = lib.couState_Add(self._cdata, name.encode(), unit.encode(), self.TYPES[values.dtype], width, len(values), data)
        if added == ffi.NULL:
            raise MemoryError

    def find(self, name):
        """The array of that name; None where there is none."""
        return self.arrays.get(name)

    def __repr__(self):
        return f"<coulis.State: {self._cdata.count} arrays>"


class FrameFilesBase(Owned):
    @property
    def items(self):
        """(path, number) of each."""
        return [(text(one.path), one.number) for one in self._cdata.items[0:self._cdata.count]]

    def __len__(self):
        return self._cdata.count

    def __iter__(self):
        return iter(self.items)


class StepReportBase(convert.Struct):
    def add(self, later):
        """This and what a later step did, as one: counts are summed, of errors and speed the worst or the last stays."""
        both = convert.to_struct("couStepReport", self, [])
        lib.couStepReport_Add(both, convert.to_struct("couStepReport", later, []))
        return convert.to_python(both[0])


# --- Functions that the rules cannot bind ------------------------------------------------------------------------------------


def allocate_frame(count):
    """A frame of `count` particles, all zero but without pressure, to be filled."""
    from ._api import Frame
    pointer = ffi.new("couFrame *")
    if not lib.couAllocateFrame(pointer, count):
        raise MemoryError(f"no memory for {count} particles")
    return Frame._take(pointer)


def read_frame_column(path, frame, name):
    """One number for each particle of any array that the file has; of vectors their length, or name.x, .y, .z."""
    values, faults = np.zeros(max(len(frame), 1), np.float32), Faults()
    is_good = lib.couReadFrameColumn(os.fsencode(path), frame._cdata, name.encode(), ffi.from_buffer("float[]", values, True),
                                     faults.pointer)
    found = faults.take()
    if found or not is_good:
        raise FaultError(found) if found else CoulisError(f"{path}: no column {name!r}")
    return values[:len(frame)]


def unpack_distance_grid(mesh, packed):
    """A grid that DistanceGrid.pack() made of the same mesh."""
    from ._api import DistanceGrid
    faults = Faults()
    pointer = lib.couUnpackDistanceGrid(mesh._pointer, ffi.from_buffer(packed), len(packed), faults.pointer)
    found = faults.take()
    if found:
        raise FaultError(found)
    return DistanceGrid._own(pointer)


def place_vertices(vertices, placement=None):
    """A copy of the vertices [m], scaled, turned, centred as a MeshPlacement says."""
    placed = np.array(vertices, np.float32, order="C").reshape(-1, 3)
    how = convert.to_struct("couMeshPlacement", placement, [])
    lib.couPlaceVertices(ffi.cast("couVec3 *", placed.ctypes.data), len(placed), how)
    return placed


def write_pfm(path, values):
    """A PFM file of 32-bit floats, height x width or height x width x 3, rows from the top."""
    values = np.ascontiguousarray(values, np.float32)
    channels = values.shape[2] if values.ndim == 3 else 1
    if values.ndim not in (2, 3) or channels not in (1, 3):
        raise ValueError(f"height x width x 1 or 3 numbers are needed, got {values.shape}")
    call("couWritePfm", path, values.shape[1], values.shape[0], channels, values.reshape(-1))


def list_scenes():
    """The names of the gallery."""
    from ._calls import iter_texts
    names = ffi.gc(lib.couListScenes(), lib.couFreeNames)
    return list(iter_texts(names))
