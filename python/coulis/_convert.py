"""Between Python's values and C's: structs, vectors, words for numbers, arrays, functions."""
import keyword
import os
import traceback
import weakref
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from ._columns import DTYPES, WIDTHS, _plain
from ._data import ENUMS, TABLES, WORDS
from ._errors import FaultError, Fault, Faults
from ._library import ffi, lib, text

# How long the arrays of structs are, where it is not said by a field `point_count` for `points`, or `count`.
COUNTS = {
    "couSurfacePoints": {"colors": "color_count"},
    "couShapeDef": {"children": "child_count"},
    "couPictureScene": {"positions": "particle_count", "velocities": "particle_count", "materials": "particle_count",
                        "particle_colors": "particle_count", "radii": "particle_count", "colors": "material_count",
                        "opacities": "material_count", "bodies": "body_count"},
}


class Pose(NamedTuple):
    """Rotation (unit quaternion x, y, z, w), then translation [m]: local point p is at position + rotation * p."""

    position: tuple = (0.0, 0.0, 0.0)
    rotation: tuple = (0.0, 0.0, 0.0, 1.0)


class Bounds(NamedTuple):
    """A box [m]."""

    lower: tuple
    upper: tuple


class Struct(SimpleNamespace):
    """What a C struct holds, as attributes: a copy, with nothing to free."""

    C_NAME = ""

    def to_dict(self):
        """The fields by name."""
        return dict(vars(self))


CLASSES = {}  # "Body", "couStepReport"... -> class; filled by _api
HOLDERS = []  # functions and log hooks that live as long as the process


def struct_name(ctype):
    return ctype.cname.replace("struct ", "").rstrip(" *")


# --- C to Python -------------------------------------------------------------------------------------------------------------


def to_python(value, world=None):
    """A C value as Python's, with nothing that C may free later."""
    if not isinstance(value, ffi.CData):
        return value
    ctype = ffi.typeof(value)
    if ctype.kind == "struct":
        return _struct_to_python(value, struct_name(ctype), world)
    if ctype.kind == "array":
        if ctype.item.kind == "primitive" and ctype.item.cname == "char":
            return text(value)
        return np.array([to_python(one) for one in value])
    if ctype.kind == "pointer":
        return pointer_to_python(value, ctype)
    return value


def pointer_to_python(value, ctype):
    """A text, or an object that is counted and so can be held; None for all else, which is only borrowed."""
    if value == ffi.NULL:
        return None
    if ctype.item.kind == "primitive" and ctype.item.cname == "char":
        return text(value)
    name = struct_name(ctype)
    retain = getattr(lib, f"{name}_Retain", None) if name.startswith("cou") and ctype.item.kind == "struct" else None
    return CLASSES[name[3:]]._own(retain(ffi.cast(f"{name} *", value))) if retain else None


def _struct_to_python(value, name, world):
    if name in WIDTHS or name == "couQuat":
        return np.array([getattr(value, axis) for axis in "xyzw"[:WIDTHS.get(name, 4)]])
    if name == "couPose":
        return Pose(to_python(value.position), to_python(value.rotation))
    if name == "couBounds":
        return Bounds(to_python(value.lower), to_python(value.upper))
    if name.endswith("Id") and name[3:-2] in CLASSES:
        return CLASSES[name[3:-2]](world, value) if value.index1 else None
    made = CLASSES[name]()
    fields = dict(ffi.typeof(value).fields)
    for field, description in fields.items():
        kind = description.type.kind
        if kind == "function" or kind == "pointer" and description.type.item.kind == "void":
            continue
        counted = count_field(name, field, fields) if kind == "pointer" else None
        shown = "definition" if field == "def" else field + "_" if keyword.iskeyword(field) else field
        setattr(made, shown, _list_to_python(getattr(value, field), getattr(value, counted)) if counted else
                to_python(getattr(value, field), world))
    if {"count", "column_count", "values"} <= set(fields) and made.values is not None:  # a table, row by row
        table = value.values[0:value.count * value.column_count]
        made.values = np.array(list(table)).reshape(value.count, value.column_count)
    return made


def _list_to_python(pointer, count):
    if pointer == ffi.NULL:
        return None
    item = ffi.typeof(pointer).item
    if struct_name(item) in WIDTHS or _plain(item.cname) in DTYPES:
        return np.array([to_python(pointer[i]) for i in range(count)])
    return [to_python(pointer[i]) for i in range(count)]


def count_field(name, field, fields):
    """The field that says how many items an array field has; None for pointers to one thing."""
    known = COUNTS.get(name, {}).get(field)
    if known:
        return known
    if field.endswith("s") and field[:-1] + "_count" in fields:
        return field[:-1] + "_count"
    item = fields[field].type.item
    is_list = struct_name(item) in WIDTHS or _plain(item.cname) in DTYPES or field.endswith("s")
    return "count" if "count" in fields and is_list else None


# --- Python to C -------------------------------------------------------------------------------------------------------------


def vector(value, count=3):
    """Numbers for a couVec3 and its likes; two are enough in the plane."""
    numbers = [float(x) for x in value]
    if len(numbers) == 2 and count == 3:
        numbers.append(0.0)
    if len(numbers) != count:
        raise ValueError(f"{count} numbers are needed, got {len(numbers)}")
    return numbers


def word(value, words, what):
    """A number by its word: "sphere", "dfsph"..."""
    name = value.replace("_", "-").lower()
    for index, known in words.items():
        if known.lower() == name:
            return index
    raise ValueError(f"{what}: unknown word {value!r}; known are {', '.join(words.values())}")


def to_struct(name, given, keep, world=None):
    """A C struct from its defaults and what is given: a mapping, a Struct, a vector... `keep` holds what it points at."""
    if isinstance(given, ffi.CData):
        return given if ffi.typeof(given).kind == "pointer" else ffi.new(f"{name} *", given)
    if hasattr(given, "_struct"):
        keep.append(given)
        return given._struct()
    made = ffi.new(f"{name} *")
    default = getattr(lib, f"couDefault{name[3:]}", None)
    if default:
        made[0] = default()
    for field, description in ffi.typeof(made).item.fields:
        if not default and struct_name(description.type) == "couPose":
            getattr(made, field).rotation.w = 1
    if given is None:
        return made
    if name in WIDTHS or name == "couQuat":
        made[0] = vector(given, WIDTHS.get(name, 4))
    elif name == "couPose":
        _set_pose(made, given)
    elif name == "couBounds":
        made.lower, made.upper = vector(given[0]), vector(given[1])
    else:
        set_fields(made, name, vars(given) if isinstance(given, Struct) else dict(given), keep, world)
    return made


def _set_pose(pose, given):
    """A pose, or only a place."""
    if len(given) == 2 and hasattr(given[0], "__len__"):
        pose.position, pose.rotation = vector(given[0]), vector(given[1], 4)
    else:
        pose.position, pose.rotation = vector(given), (0, 0, 0, 1)


def set_fields(made, name, given, keep, world=None):
    """Sets the fields; all that is wrong is told at once."""
    fields = dict(ffi.typeof(made).item.fields)
    faults = []
    for key, value in given.items():
        key = key[:-1] if keyword.iskeyword(key[:-1]) else key
        try:
            if key in fields:
                _set_field(made, name, key, fields, value, keep, world)
            elif key in ("at", "rotation") and "pose" in fields:
                if key == "at":
                    made.pose.position = vector(value)
                else:
                    made.pose.rotation = vector(value, 4)
            else:
                faults += _set_row(made, name, key, value)
        except (TypeError, ValueError, OverflowError) as error:
            faults.append(Fault("", f"{_word_of(name)}.{key}", str(error)))
    if faults and name in TABLES:  # ranges as well, so that all is told at once
        more = Faults()
        lib.couParams_Check(getattr(lib, TABLES[name])(), made, more.pointer)
        faults += more.take()
    if faults:
        raise FaultError(faults)


def _word_of(name):
    return table_of(name).name if name in TABLES else name


def table_of(name):
    """The parameter table of a struct, with its name and rows as Python's values; None where there is none."""
    from ._tables import table
    return table(TABLES[name]) if name in TABLES else None


def _set_row(made, name, key, value):
    """A row of the parameter table whose field lies deeper: a material's `color` is one of its look."""
    faults = Faults()
    if name not in TABLES:
        known = ", ".join(field for field, _ in ffi.typeof(made).item.fields)
        return [Fault("", name[3:], f"unknown field {key!r}; known are {known}")]
    table = getattr(lib, TABLES[name])()
    row = lib.couParams_Find(table, key.encode())
    if row == ffi.NULL:
        lib.couParams_SetByName(table, made, key.encode(), b"", ffi.NULL, faults.pointer)
    elif isinstance(value, str):
        lib.couParam_SetText(row, table.name, made, value.encode(), ffi.NULL, faults.pointer)
    else:
        numbers = [float(x) for x in (value if hasattr(value, "__len__") else [value])]
        lib.couParam_SetNumbers(row, table.name, made, numbers, len(numbers), ffi.NULL, faults.pointer)
    return faults.take()


def _set_field(made, name, field, fields, value, keep, world):
    ctype = fields[field].type
    if ctype.kind == "function":
        function = ffi.NULL if value is None else callback(ctype, value, world)
        (world._kept if world is not None else keep).append(function)
        setattr(made, field, function)
    elif ctype.kind == "pointer":
        _set_pointer(made, name, field, fields, value, keep, world)
    elif ctype.kind == "struct":
        if isinstance(value, CLASSES.get("Handle", ())):
            setattr(made, field, value._id_for(world))
        elif struct_name(ctype) == "couMaterialId" and isinstance(value, str):
            setattr(made, field, world.material(value)._id)
        elif value is not None:
            setattr(made, field, to_struct(struct_name(ctype), value, keep, world)[0])
    elif ctype.kind == "array":
        _set_array(made, field, ctype, value)
        if field[:-1] + "_count" in fields and field.endswith("s"):
            setattr(made, field[:-1] + "_count", len(value))
    elif ctype.kind == "enum" or ctype.cname in ("int", "unsigned int") and isinstance(value, str):
        setattr(made, field, _number_of(name, field, ctype, value))
    elif ctype.cname in ("float", "double"):
        setattr(made, field, float("nan") if value is None or isinstance(value, str) and value == "auto" else float(value))
    else:
        setattr(made, field, value)


def _number_of(name, field, ctype, value):
    words = WORDS.get(f"{name}.{field}") or (enum_words(ctype.cname.replace("enum ", "")) if ctype.kind == "enum" else {})
    return word(value, words, field) if isinstance(value, str) else int(value)


def enum_words(name):
    return ENUMS.get(name, {})


def _set_array(made, field, ctype, value):
    if ctype.item.cname == "char":
        raw = os.fsencode(value)
        if len(raw) >= ctype.length:
            raise ValueError(f"{value!r} is longer than {ctype.length - 1} bytes")
        setattr(made, field, raw)
    else:
        width = WIDTHS.get(struct_name(ctype.item))
        values = [vector(one, width) if width else one for one in value]
        if len(values) > ctype.length:
            raise ValueError(f"at most {ctype.length} are taken, got {len(values)}")
        setattr(made, field, values)


def _set_pointer(made, name, field, fields, value, keep, world):
    item = fields[field].type.item
    if value is None:
        setattr(made, field, ffi.NULL)
    elif item.cname == "char":
        keep.append(ffi.new("char[]", os.fsencode(value)))
        setattr(made, field, keep[-1])
    elif hasattr(value, "_pointer"):
        keep.append(value)
        setattr(made, field, value._pointer)
    elif hasattr(value, "_struct"):
        keep.append(value)
        setattr(made, field, value._struct())
    else:
        pointer, count = to_list(item, value, keep, world)
        setattr(made, field, pointer)
        counted = count_field(name, field, fields)
        if counted:
            setattr(made, counted, count)


def to_list(item, value, keep, world=None):
    """An array for C and its count: of numbers, vectors, objects or structs."""
    name = struct_name(item)
    plain = _plain(name)
    if plain in DTYPES:
        array = np.ascontiguousarray(value, dtype=DTYPES[plain])
        if plain in WIDTHS:
            if array.ndim == 2 and array.shape[1] == 2:
                array = np.ascontiguousarray(np.pad(array, ((0, 0), (0, 1))))
            if array.ndim != 2 or array.shape[1] != WIDTHS[plain]:
                raise ValueError(f"an array of {WIDTHS[plain]} numbers each is needed, got one of shape {array.shape}")
        keep.append(array)
        return ffi.cast(f"{plain} *", array.ctypes.data), len(array)
    if item.kind == "pointer":
        keep.append(list(value))
        keep.append(ffi.new(f"{item.cname}[]", [one._pointer for one in keep[-1]]))
        return keep[-1], len(keep[-1])
    structs = [to_struct(name, one, keep, world)[0] for one in value]
    keep.append(ffi.new(f"{name}[]", max(len(structs), 1)))
    for index, struct in enumerate(structs):
        keep[-1][index] = struct
    return keep[-1], len(structs)


# --- Functions ---------------------------------------------------------------------------------------------------------------


def callback(ctype, function, world=None):
    """A Python function for C to call. What it raises is raised again by the call that led to it."""
    is_event = "couWorld" in str(ctype.args)
    names = [struct_name(arg) for arg in ctype.args]
    known = weakref.ref(world) if world is not None else lambda: None  # the world holds the function, not the other way round

    def called(*values):
        world = known()
        if world is not None and world._raised:
            return _nothing(ctype.result)
        taken = [world if name == "couWorld" else to_python(value) for name, value in zip(names, values) if name != "void"]
        if world is None:
            return _to_result(ctype.result, function(*taken))
        with world._in_callback(may_change=is_event):
            return _to_result(ctype.result, function(*taken))

    def failed(kind, error, trace):
        world = known()
        if world is not None:
            world._raised.append(error.with_traceback(trace))
        else:
            traceback.print_exception(kind, error, trace)

    return ffi.callback(ctype, called, onerror=failed, error=_nothing(ctype.result))


def _nothing(ctype):
    if ctype.kind == "void":
        return None
    return to_struct(struct_name(ctype), None, [])[0] if ctype.kind == "struct" else 0


def _to_result(ctype, value):
    if ctype.kind == "void":
        return None
    return to_struct(struct_name(ctype), value, [])[0] if ctype.kind == "struct" else value
