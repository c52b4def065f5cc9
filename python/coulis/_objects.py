"""What the classes of objects have by hand; their methods are generated (_api)."""
import contextlib
import os
import tempfile
import threading
import weakref

import numpy as np

from . import _convert as convert
from ._calls import call, check_open, given, iter_texts
from ._columns import Column, Guard, owned_array
from ._convert import Struct
from ._errors import BusyError, CoulisError, FaultError, Faults, GoneError, SceneError
from ._library import ffi, lib, text


class Object:
    """A thing of the library, freed when Python has no more use of it."""

    C_NAME = ""
    RELEASE = {"couRenderer": "couDestroyRenderer", "couFilm": "couDiscardFilm", "couScene": "couCloseScene"}

    @classmethod
    def _own(cls, pointer):
        made = cls.__new__(cls)
        made._take_pointer(pointer)
        return made

    def _take_pointer(self, pointer):
        free = getattr(lib, self.RELEASE.get(self.C_NAME) or f"{self.C_NAME}_Release")
        self._cdata = ffi.gc(pointer, free)

    @property
    def _pointer(self):
        return check_open(type(self).__name__.lower(), getattr(self, "_cdata", None))

    def _free(self):
        if getattr(self, "_cdata", None) is not None:
            ffi.release(self._cdata)
            self._cdata = None


class ShapeBase(Object):
    """Use sphere(), box() and their likes, or Shape(kind="sphere", radius=0.1)."""

    def __init__(self, kind, **fields):
        self._cdata = call("couCreateShape", {"kind": kind, **fields})._cdata

    def placed(self, at=(0, 0, 0), rotation=(0, 0, 0, 1)):
        """This shape elsewhere: turned by the unit quaternion, then moved to `at` [m]."""
        return call("couCreateShape", {"kind": "placed", "children": [self], "pose": (at, rotation)})

    def __or__(self, other):
        return call("couCreateShape", {"kind": "union", "children": [self, other]})

    def __and__(self, other):
        return call("couCreateShape", {"kind": "intersection", "children": [self, other]})

    def __sub__(self, other):
        return call("couCreateShape", {"kind": "difference", "children": [self, other]})

    def planes(self, point, reach, dimension=3):
        """The tangent planes nearer than `reach` [m] to the point: (unit normal, distance [m]) of each, at most 64."""
        planes = ffi.new("couPlane[64]")
        count = lib.couShape_Planes(self._pointer, dimension, convert.vector(point), reach, planes, 64)
        return [(convert.to_python(planes[i].normal), planes[i].distance) for i in range(count)]


class MeshBase(Object):
    @property
    def vertices(self):
        """[m], one row each; no copy."""
        return owned_array(lib.couMesh_Vertices(self._pointer), lib.couMesh_VertexCount(self._pointer), self)

    @property
    def triangles(self):
        """Three vertex numbers each; no copy."""
        return owned_array(lib.couMesh_Triangles(self._pointer), (lib.couMesh_TriangleCount(self._pointer), 3), self)


class DistanceGridBase(Object):
    def pack(self):
        """The grid as bytes, for unpack_distance_grid()."""
        size = lib.couDistanceGrid_Pack(self._pointer, ffi.NULL, 0)
        room = ffi.new("char[]", size)
        lib.couDistanceGrid_Pack(self._pointer, room, size)
        return bytes(ffi.buffer(room, size))


class SolidMeshBase(Object):
    def _array(self, function, count, width):
        return owned_array(getattr(lib, function)(self._pointer), (getattr(lib, count)(self._pointer), width), self)

    @property
    def points(self):
        """[m], one row each; no copy."""
        return owned_array(lib.couSolidMesh_Points(self._pointer), lib.couSolidMesh_PointCount(self._pointer), self)

    @property
    def cells(self):
        """Dimension + 1 point numbers each; no copy."""
        return self._array("couSolidMesh_Cells", "couSolidMesh_CellCount", lib.couSolidMesh_Dimension(self._pointer) + 1)

    @property
    def edges(self):
        """Two point numbers each, the lower first; no copy."""
        return self._array("couSolidMesh_Edges", "couSolidMesh_EdgeCount", 2)

    @property
    def faces(self):
        """Of the surface, dimension point numbers each; no copy."""
        return self._array("couSolidMesh_Faces", "couSolidMesh_FaceCount", lib.couSolidMesh_Dimension(self._pointer))


class RendererBase(Object):
    """Draws pictures; `threads` 0: all cores."""

    def __init__(self, threads=0):
        self._cdata = call("couCreateRenderer", threads)._cdata


class FilmBase(Object):
    """A film being written: open_film(), add_frame() for each picture, close(). Without close() there is no file."""

    def close(self):
        """Waits for ffmpeg; the file is whole then."""
        pointer, faults = self._pointer, Faults()
        ffi.gc(pointer, None)  # closing frees it
        self._cdata = None
        is_good = lib.couCloseFilm(pointer, faults.pointer)
        found = faults.take()
        if found or not is_good:
            raise FaultError(found) if found else CoulisError("the film could not be written")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
        else:
            self._free()


# --- The world ---------------------------------------------------------------------------------------------------------------


class Particles:
    """The particles of a world, column by column, in an order that changes from step to step: follow one by its id."""

    COLUMNS = ("position", "velocity", "id", "material", "density", "pressure")
    VIEW = "couWorld_Particles"

    def __init__(self, world):
        self._world = weakref.ref(world)

    def _view(self):
        world = self._world()
        if world is None:
            raise GoneError("the world of these particles is gone")
        return world, getattr(lib, self.VIEW)(world._pointer)

    def _column(self, name):
        world, view = self._view()
        with world._used(True):
            return Column._take(getattr(view, name), view.count, world._guard, 3 if name in ("position", "velocity") else None)

    def __len__(self):
        return self._view()[1].count

    @property
    def position(self):
        """[m], one row each; no copy."""
        return self._column("position")

    @property
    def velocity(self):
        """[m/s], one row each; no copy."""
        return self._column("velocity")

    @property
    def id(self):
        """A number that stays with the particle; no copy."""
        return self._column("id")

    @property
    def material(self):
        """The number of its material, as in World.materials; no copy."""
        return self._column("material")

    @property
    def density(self):
        """Relative to rest: 1 = at rest; no copy."""
        return self._column("density")

    @property
    def pressure(self):
        """[Pa], of the last step; None for pvfs, which has none; no copy."""
        return self._column("pressure")

    def to_pandas(self):
        """A copy as a pandas.DataFrame, by id."""
        import pandas
        columns = {"id": self.id.copy()}
        for name in ("position", "velocity"):
            values = getattr(self, name)
            columns.update({prefix + axis: values[:, k].copy() for k, (prefix, axis) in
                            enumerate((("v" if name == "velocity" else "", axis) for axis in "xyz"))})
        for name in self.COLUMNS[3:]:
            values = getattr(self, name)
            if values is not None:
                columns[name] = values.copy()
        return pandas.DataFrame(columns).set_index("id").sort_index()


class Samples(Particles):
    """The points that stood for bodies in the last step; `volume` over that of a particle, `body` counted from 0."""

    VIEW = "couWorld_Samples"
    material = density = pressure = None

    @property
    def body(self):
        """The body's number; no copy."""
        return self._column("body")

    @property
    def volume(self):
        """Over that of a particle; no copy."""
        world, view = self._view()
        with world._used(True):
            return Column._take(view.position, view.count, world._guard)[:, 3]

    def to_pandas(self):
        raise TypeError("samples have no table; take their columns")


class WorldBase(Object):
    """Materials, fluid, bodies and all that moves them."""

    C_NAME = "couWorld"

    def __init__(self, **fields):
        faults, keep = Faults(), []
        pointer = lib.couCreateWorld(convert.to_struct("couWorldDef", fields, keep), faults.pointer)
        found = faults.take()
        if found or pointer == ffi.NULL:
            raise FaultError(found)
        self._set_up(pointer, None)

    def _set_up(self, pointer, scene):
        """A world of its own, or one that a scene owns."""
        self._guard, self._lock, self._kept, self._raised = Guard(), threading.RLock(), [], []
        self._scene, self._is_stepping, self._is_fixed, self._is_prepared, self._materials = scene, False, False, False, {}
        self._cdata = pointer
        self._finalizer = weakref.finalize(self, _destroy, pointer if scene is None else None, self._guard)

    @classmethod
    def _of_scene(cls, pointer, scene):
        made = cls.__new__(cls)
        made._set_up(pointer, scene)
        return made

    @property
    def _pointer(self):
        if not self._guard.is_open:
            raise GoneError("this world is closed")
        return self._cdata

    def close(self):
        """Frees all that the world holds, at once. Columns that are still held raise from now on."""
        with self._lock:
            if self._is_stepping:
                raise BusyError("a world cannot be closed in the middle of its step")
            if self._scene is not None:
                self._scene.close()
            self._finalizer()
            self._cdata = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @contextlib.contextmanager
    def _used(self, is_const):
        """A call: one thread at a time; what may change the world ends the life of columns."""
        with self._lock:
            if not is_const and self._is_fixed:
                raise BusyError("functions of motions, fields and velocities must not change the world; events may")
            self._guard.generation += not is_const
            try:
                yield
            finally:
                self._guard.generation += not is_const

    @contextlib.contextmanager
    def _in_callback(self, may_change):
        before = self._is_fixed
        self._is_fixed = not may_change
        try:
            yield
        finally:
            self._is_fixed = before

    def _raise_pending(self):
        if self._raised:
            error = self._raised[0]
            self._raised.clear()
            raise error

    # Stepping.

    def prepare(self):
        """Derives the method's numbers from what is there; the first step does so if it has not been done."""
        if self._scene is not None:
            call("couScene_Prepare", self._scene)
            self._guard.generation += 1
        else:
            call("couWorld_Prepare", self)
        self._is_prepared = True

    def _step(self, function, seconds):
        if not (seconds > 0 and np.isfinite(seconds)):
            raise ValueError(f"a step takes more than 0 s and ends, got {seconds!r}")
        if self._is_stepping:
            raise BusyError("a step within a step")
        if not self._is_prepared:
            self.prepare()
        with self._used(False):
            self._is_stepping = True
            try:
                report = convert.to_python(getattr(lib, function)(self._pointer, seconds), self)
            finally:
                self._is_stepping = False
            self._raise_pending()
        if self._scene is not None:
            self._scene._raise_runtime_error()
        return report

    def step(self, dt):
        """One step of dt seconds, > 0; suggest_step() says how long it may be. Returns a StepReport."""
        return self._step("couWorld_Step", dt)

    def advance(self, seconds):
        """Goes on for `seconds` in as many equal substeps as the method needs. Returns a StepReport: look at has_failed."""
        return self._step("couWorld_Advance", seconds)

    def suggest_step(self):
        """Largest step that the method takes calmly now [s]."""
        if not self._is_prepared:
            self.prepare()
        return call("couWorld_SuggestStep", self)

    # What is there.

    @property
    def particles(self):
        """The particles, column by column."""
        self._pointer
        return Particles(self)

    @property
    def samples(self):
        """The points that stood for bodies in the last step."""
        self._pointer
        return Samples(self)

    def material(self, name, **changes):
        """The library's material of that name, added once; with changes, a new one made from it."""
        if not changes and name in self._materials:
            return self._materials[name]
        for one in self.materials if not changes else ():
            if one.definition.name == name:
                return one
        found = lib.couFindLibraryMaterial(name.encode())
        if found == ffi.NULL:
            from ._tables import material_names
            known = material_names()
            near = lib.couSuggest([ffi.new("char[]", n.encode()) for n in known], len(known), name.encode())
            hint = f": did you mean '{text(near)}'?" if near != ffi.NULL else f"; known are {', '.join(known)}"
            raise ValueError(f"no material '{name}' in the library{hint}")
        made = ffi.new("couMaterialDef *", getattr(found, "def"))
        convert.set_fields(made, "couMaterialDef", changes, [])
        added = call("couWorld_AddMaterial", self, made)
        if not changes:
            self._materials[name] = added
        return added

    def particle_mass(self, material=0):
        """Of each particle of a material, or of its number [kg] ([kg/m] in 2D)."""
        index = self.materials.index(material) if isinstance(material, Handle) else int(material)
        if not 0 <= index < lib.couWorld_MaterialCount(self._pointer):
            raise IndexError(f"there is no material {index}")
        return lib.couWorld_ParticleMass(self._pointer, index)

    @property
    def springs(self):
        """A copy as a structured array, by pairs of ids: id_a, id_b, rest_length [m]."""
        with self._used(True):
            count = lib.couWorld_SpringCount(self._pointer)
            room = ffi.new("couSpringView[]", max(count, 1))
            count = lib.couWorld_CopySprings(self._pointer, room, count)
        kind = np.dtype([("id_a", np.uint32), ("id_b", np.uint32), ("rest_length", np.float32)])
        return np.frombuffer(ffi.buffer(room, count * kind.itemsize) if count else b"", kind).copy()

    def method_params(self):
        """The method's own parameters now, by name, as text that set_param() takes."""
        from ._tables import format_values
        method = text(lib.couWorld_Def(self._pointer).method)
        table = lib.couMethodParams(method.encode())
        return format_values(table, lib.couWorld_MethodParams(self._pointer))

    # State.

    def save_state(self):
        """All that a later run needs to go on with the same bits."""
        return self._scene._save_state() if self._scene is not None else self._save_bare()

    def _save_bare(self):
        state = call("couWorld_SaveState", self)
        if state is None:
            raise MemoryError("no memory to save the state")
        return state

    def load_state(self, state):
        """Goes back, or on, to a saved state of a world that was made alike."""
        if self._is_stepping:
            raise BusyError("a state cannot be loaded in the middle of a step")
        if not self._is_prepared:
            self.prepare()
        call("couWorld_LoadState", self, state)
        if self._scene is not None:
            self._scene._load_store(state)

    @property
    def hash(self):
        """Of all that the state holds: the same for two runs that agree in every bit."""
        return self.save_state().hash

    def save(self, path, scene="", frame=0, fps=None):
        """Writes the state to a checkpoint (HDF5), from which resume() goes on."""
        own = self._scene
        info = {"scene": os.fspath(scene) or (own.path if own else ""), "method": self.definition.method, "frame": frame,
                "fps": fps or (own.fps if own else 30.0), "time": self.time, "particles": len(self.particles),
                "scene_hash": own.content_hash if own else 0}
        call("couWriteCheckpoint", path, info, self.save_state())

    def resume(self, path):
        """Loads what save(), or `coulis run`, has written, into a world made alike. Returns the CheckpointInfo."""
        info, state = call("couReadCheckpoint", path)
        self.load_state(state)
        return info

    # Pictures and files.

    def frame(self):
        """A copy of the particles, ordered by id, for files and surfaces."""
        frame = call("couCaptureFrame", self)
        if frame is None:
            raise MemoryError("no memory for a frame")
        return frame

    def surface(self, **fields):
        """The surface of the liquid: triangles, or segments in 2D; fields as build_surface() takes them."""
        return self.frame().surface(spacing=fields.pop("spacing", self.definition.spacing), dimension=self.definition.dimension,
                                    **fields)

    def picture(self, **options):
        """An Image of the world as it is; a notebook shows it. See picture() for the options."""
        from ._pictures import picture
        return picture(self, **options)

    def _repr_png_(self):
        return self.picture(width=640, height=360)._repr_png_()

    def __repr__(self):
        if not self._guard.is_open:
            return "<coulis.World, closed>"
        return f"<coulis.World: {self.definition.method}, {len(self.particles)} particles, {self.time:.4g} s>"


def _destroy(pointer, guard):
    guard.is_open = False
    guard.generation += 1
    if pointer is not None:
        lib.couDestroyWorld(pointer)


class SceneBase(Object):
    """A scene file, a gallery's name or the text of a scene, and the world that it makes.

    method: another than the scene says; threads: 0 as the scene says; other names are values that the scene sets, as --set does:
    Scene("dam-break-2d", spacing=0.02), or in `set` where the key has a dot: set={"honey.viscosity": 5}.
    """

    def __init__(self, source, method=None, threads=0, set=None, max_mesh_bytes=0, max_instructions=0, **overrides):
        source = os.fspath(source)
        with contextlib.ExitStack() as stack:
            if "\n" in source or "{" in source:  # the text of a scene
                folder = stack.enter_context(tempfile.TemporaryDirectory())
                source, lines = os.path.join(folder, "scene.lua"), source
                with open(source, "w", encoding="utf-8") as file:
                    file.write(lines)
            values = [{"key": key, "value": _set_text(value)} for key, value in {**overrides, **(set or {})}.items()]
            options = {"method": method, "threads": threads, "overrides": values, "max_mesh_bytes": max_mesh_bytes,
                       "max_instructions": max_instructions}
            self._cdata = call("couLoadScene", source, options)._cdata
        self._world = None

    @property
    def world(self):
        """The scene's world; it is closed with the scene."""
        if self._world is None or self._world() is None:
            made = convert.CLASSES["World"]._of_scene(lib.couScene_World(self._pointer), self)
            self._world = weakref.ref(made)
            self._strong = made
        return self._world()

    def close(self):
        """Ends the scene and its world."""
        if self._world is not None and self._world() is not None:
            world = self._world()
            if world._is_stepping:
                raise BusyError("a scene cannot be closed in the middle of a step")
            world._finalizer()
        self._world = self._strong = None
        self._free()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def advance(self, seconds=None):
        """Goes on for `seconds`, or one frame of the scene. Returns a StepReport."""
        return self.world.advance(1.0 / self.fps if seconds is None else seconds)

    def _raise_runtime_error(self):
        message = text(lib.couScene_RuntimeError(self._pointer))
        if message:
            raise SceneError(message)

    def run_console(self, line):
        """Runs a line of Lua on the running world; returns what it printed, and of an expression its value."""
        room = ffi.new("char[]", 4096)
        with self.world._used(False):
            is_good = lib.couScene_RunConsole(self._pointer, line.encode(), room, 4096)
        if not is_good:
            raise SceneError(text(room))
        return text(room)

    def _save_state(self):
        bytes_, size, faults = ffi.new("void **"), ffi.new("size_t *"), Faults()
        is_good = lib.couScene_SaveStore(self._pointer, bytes_, size, faults.pointer)
        found = faults.take()
        if not is_good:
            raise FaultError(found)
        held = ffi.gc(bytes_[0], _libc.free)
        state = self.world._save_bare()
        state.add("scene/store", np.frombuffer(ffi.buffer(held, size[0]) if size[0] else b"", np.uint8))
        return state

    def _load_store(self, state):
        store = np.ascontiguousarray(state.arrays.get("scene/store", np.empty(0, np.uint8)))
        faults = Faults()
        lib.couScene_LoadStore(self._pointer, ffi.from_buffer(store) if len(store) else b"", len(store), faults.pointer)
        found = faults.take()
        if found:
            raise FaultError(found)

    @property
    def camera(self):
        """Where the scene looks from at the start."""
        return self.camera_at(0.0)

    def camera_at(self, time):
        """The camera at a time [s]: keyframes and turntable followed."""
        camera = ffi.new("couCamera *", lib.couScene_Camera(self._pointer))
        return convert.to_python(lib.couCamera_At(camera, time))

    def picture(self, **options):
        """An Image of the scene as it is, from its own camera."""
        return self.world.picture(**options)

    def _repr_png_(self):
        return self.world._repr_png_()


def _set_text(value):
    """As --set takes it: 0.02, true, 1,2,3."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "__len__") and not isinstance(value, str):
        return ",".join(_set_text(one) for one in value)
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


_libc = ffi.dlopen(None)


# --- Handles -----------------------------------------------------------------------------------------------------------------


class _Kept:
    """A C struct and what it points at."""

    def __init__(self, pointer, keep):
        self._cdata, self._keep = pointer, keep

    def _struct(self):
        return self._cdata


class Handle:
    """A thing in a world: a body, an emitter..."""

    def __init__(self, world, identity):
        self._world, self._id = world, ffi.new(f"cou{type(self).__name__}Id *", identity)[0]

    @property
    def world(self):
        """The world that it is in."""
        return self._world

    def _id_for(self, world):
        if world is not None and world is not self._world:
            raise ValueError(f"this {type(self).__name__.lower()} is of another world")
        self._check()
        return self._id

    def _check(self):
        has = getattr(lib, f"couWorld_Has{type(self).__name__}", None)
        if has is not None and not has(self._world._pointer, self._id):
            raise GoneError(f"this {type(self).__name__.lower()} was removed from the world")

    def _changed(self, struct, fields):
        """What it was made with, with some fields changed."""
        self._check()
        made = ffi.new(f"{struct} *", getattr(lib, f"couWorld_{type(self).__name__}")(self._world._pointer, self._id)[0])
        keep = [made]
        convert.set_fields(made, struct, fields, keep, self._world)
        return _Kept(made, keep)

    @property
    def exists(self):
        """Whether it is still there."""
        has = getattr(lib, f"couWorld_Has{type(self).__name__}", None)
        return self._world._guard.is_open and (has is None or has(self._world._pointer, self._id))

    def __eq__(self, other):
        return type(self) is type(other) and self._world is other._world and self._key() == other._key()

    def __hash__(self):
        return hash((id(self._world), self._key()))

    def _key(self):
        return self._id.index1, self._id.generation

    def __repr__(self):
        name = getattr(self.definition, "name", "") if self.exists and hasattr(type(self), "definition") else ""
        return f"<coulis.{type(self).__name__} {name or self._id.index1}{'' if self.exists else ', gone'}>"


class SolidBase(Handle):
    def _column(self, name, width):
        with self._world._used(True):
            self._check()
            view = lib.couWorld_SolidView(self._world._pointer, self._id)
            whole = Column._take(getattr(view, name), view.count * width, self._world._guard)
            return whole.reshape(-1, width) if width > 1 else whole

    @property
    def position(self):
        """Of the mesh's points [m]; no copy."""
        return self._column("position", 3)

    @property
    def velocity(self):
        """Of the mesh's points [m/s]; no copy."""
        return self._column("velocity", 3)

    @property
    def rest(self):
        """Where the points are at rest [m]; no copy."""
        return self._column("rest", 3)

    @property
    def mass(self):
        """Of the points [kg] ([kg/m] in 2D); no copy."""
        return self._column("mass", 1)

    @property
    def mesh(self):
        """The SolidMesh that it is made of."""
        self._check()
        mesh = lib.couWorld_SolidView(self._world._pointer, self._id).mesh
        return convert.pointer_to_python(mesh, ffi.typeof(mesh))

    def _tensors(self):
        cells = self.mesh.cell_count
        stress, strain = np.zeros((cells, 6), np.float32), np.zeros((cells, 6), np.float32)
        with self._world._used(True):
            lib.couWorld_CopySolidStress(self._world._pointer, self._id, ffi.from_buffer("float[]", stress, True),
                                         ffi.from_buffer("float[]", strain, True))
        return stress, strain

    @property
    def stress(self):
        """Of each cell [Pa]: xx, yy, zz, xy, xz, yz; a copy."""
        return self._tensors()[0]

    @property
    def strain(self):
        """Of each cell: xx, yy, zz, xy, xz, yz; a copy."""
        return self._tensors()[1]

    @property
    def mises(self):
        """Von Mises' stress at each point [Pa]; a copy."""
        mises = np.zeros(len(self.position), np.float32)
        with self._world._used(True):
            lib.couWorld_CopySolidValues(self._world._pointer, self._id, lib.cou_solidColorStress,
                                         ffi.from_buffer("float[]", mises, True))
        return mises

    def drag(self, point, place, speed):
        """Holds one point at a place [m] until it is released; it goes there at most at `speed` [m/s]."""
        if not 0 <= point < len(self.position):
            raise IndexError(f"there is no point {point}")
        with self._world._used(False):
            self._check()
            lib.couWorld_DragSolid(self._world._pointer, self._id, point, convert.vector(place), speed)
