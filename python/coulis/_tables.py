"""The parameter tables: what can be set, with unit, range, default and a line of help."""
from typing import NamedTuple

from ._calls import iter_texts
from ._data import TABLES
from ._library import ffi, lib, text


class Param(NamedTuple):
    """One field of a def."""

    name: str
    unit: str
    help: str
    default: str
    range: str
    choices: tuple


class Table(NamedTuple):
    """The parameters of a thing: a material, a body, a method..."""

    name: str
    params: tuple


def _formatted(function, row):
    room = ffi.new("char[]", 512)
    function(row, room, 512)
    return text(room)


def read_table(pointer):
    """A couParamTable as Python's values."""
    rows = []
    for k in range(pointer.count):
        row = pointer.params + k
        choices = tuple(iter_texts(row.choices)) if row.choices != ffi.NULL else ()
        rows.append(Param(text(row.name), text(row.unit), text(row.help) or "", _formatted(lib.couParam_FormatDefault, row),
                          _formatted(lib.couParam_FormatRange, row), choices))
    return Table(text(pointer.name), tuple(rows))


def table(function):
    return read_table(getattr(lib, function)())


def tables():
    """All tables by name: of defs, and of methods and their families ("pvfs", "sph"...)."""
    found = [table(function) for function in TABLES.values()]
    found += [read_table(lib.couMethodParams(name.encode())) for name in iter_texts(lib.couMethodTableNames())]
    return {one.name: one for one in found}


def format_values(pointer, block):
    """The values of a block of parameters by name, as text."""
    room, values = ffi.new("char[]", 512), {}
    for k in range(pointer.count):
        lib.couParam_FormatValue(pointer.params + k, block, room, 512)
        values[text(pointer.params[k].name)] = text(room)
    return values


def material_names():
    """The names of the material library."""
    count = ffi.new("int *")
    library = lib.couMaterialLibrary(count)
    return [text(getattr(library[k], "def").name) for k in range(count[0])]
