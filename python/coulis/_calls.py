"""One way to call all functions: by the plan that was found from the header (plans.py)."""
import os

import numpy as np

from . import _convert as convert
from ._columns import DTYPES
from ._data import PLANS
from ._errors import CoulisError, Faults, FaultError, GoneError
from ._library import ffi, lib, text

TEXT_SIZE = 4096
FIRST_ROOM = 64  # numbers


def given(values, *hidden):
    """The fields of a generated method that were given: all arguments that are not `...` nor `hidden`."""
    own = {key: value for key, value in values.items() if value is not ... and key not in ("self", "others", *hidden)}
    return {**own, **values.get("others", {})}


class _Call:
    """One call: arguments on their way in, what comes back on its way out."""

    def __init__(self, name, args):
        self.name, self.args = name, list(args)
        self.result_role, self.roles, self.is_const = PLANS[name]
        self.keep, self.outs, self.faults, self.world, self.lists = [], [], None, None, {}
        self.owner = self.room = None
        self.c_args = []

    def run(self):
        self._find_world()
        if self.world is None:
            return self._call()
        with self.world._used(self.is_const):
            result = self._call()
            self.world._raise_pending()
            return result

    def _find_world(self):
        for value in self.args:
            if hasattr(value, "_used"):
                self.world = value

    def _call(self):
        types = ffi.typeof(getattr(lib, self.name)).args
        for index, role in enumerate(self.roles):
            self.c_args.append(getattr(self, "_give_" + role[0])(role, types[index], index))
        raw = getattr(lib, self.name)(*self.c_args)
        while self.room is not None and raw >= len(self.room):  # perhaps not all
            self.c_args[self.room_index:self.room_index + 2] = self._make_room(2 * int(raw) + 1)
            raw = getattr(lib, self.name)(*self.c_args)
        faults = self.faults.take() if self.faults else []
        if faults:
            raise FaultError(faults)
        return self._finish(raw)

    # Arguments, by role.

    def _next(self):
        return self.args.pop(0) if self.args else None

    def _give_self(self, role, ctype, index):
        self.owner = self._next()
        if hasattr(self.owner, "_pointer"):
            return self.owner._pointer
        return convert.to_struct(convert.struct_name(ctype), self.owner, self.keep)

    def _give_handle(self, role, ctype, index):
        value = self._next()
        if isinstance(value, str) and role[1] == "Material":
            value = self.world.material(value)
        return ffi.new(f"cou{role[1]}Id *")[0] if value is None else value._id_for(self.world)

    def _give_object(self, role, ctype, index):
        value = self._next()
        if value is None and role[2]:
            return ffi.NULL
        if not isinstance(value, convert.CLASSES[role[1]]):
            raise TypeError(f"{self.name}: a {role[1]} is needed, got {type(value).__name__}")
        self.keep.append(value)
        return value._pointer

    def _give_struct(self, role, ctype, index):
        value = self._next()
        return convert.to_struct(role[1], value, self.keep, self.world)

    def _give_value(self, role, ctype, index):
        return convert.to_struct(role[1], self._next(), self.keep, self.world)[0]

    def _give_number(self, role, ctype, index):
        value = self._next()
        if role[1] in ("float", "double"):
            return float("nan") if value is None else float(value)
        return int(value) if value is not None else 0

    def _give_bool(self, role, ctype, index):
        return bool(self._next())

    def _give_enum(self, role, ctype, index):
        value, words = self._next(), convert.enum_words(role[1])
        if isinstance(value, str):
            return convert.word(value, words, role[1])
        if int(value) not in words:
            raise ValueError(f"{self.name}: {value} is no {role[1][3:]}; known are {', '.join(words.values())}")
        return int(value)

    def _give_str(self, role, ctype, index):
        return self._text(self._next())

    @staticmethod
    def _text(value):
        raw = os.fsencode(value)
        if b"\0" in raw:
            raise ValueError(f"{value!r}: a text for C ends at its first zero")
        return raw

    def _give_strs(self, role, ctype, index):
        texts = [ffi.new("char[]", self._text(value)) for value in self._next()]
        self.keep += texts
        self.lists[index] = len(texts)
        self.keep.append(ffi.new("char *[]", texts + [ffi.NULL]))
        return ffi.cast("const char *const *", self.keep[-1])

    def _give_array(self, role, ctype, index):
        value = self._next()
        if value is None and role[2]:
            return ffi.NULL
        pointer, count = convert.to_list(ctype.item, value, self.keep, self.world)
        if any(known != count for at, known in self.lists.items() if ("count", at) not in self.roles[:index]):
            raise ValueError(f"{self.name}: arrays of different lengths")
        self.lists[index] = count
        return pointer

    def _give_count(self, role, ctype, index):
        return self.lists[role[1]]

    def _give_call(self, role, ctype, index):
        value = self._next()
        if value is None:
            return ffi.NULL
        made = convert.callback(ctype, value, self.world)
        (self.world._kept if self.world is not None else convert.HOLDERS).append(made)
        return made

    def _give_context(self, role, ctype, index):
        return ffi.NULL

    def _give_text(self, role, ctype, index):
        self.outs.append(("text", ffi.new("char[]", TEXT_SIZE)))
        return self.outs[-1][1]

    def _give_size(self, role, ctype, index):
        return TEXT_SIZE

    def _make_room(self, count):
        self.room = np.zeros(count, DTYPES[self.room_type])
        return [ffi.cast(f"{self.room_type} *", self.room.ctypes.data), count]

    def _give_room(self, role, ctype, index):
        self.room_type, self.room_index = role[1], index
        return self._make_room(FIRST_ROOM)[0]

    def _give_capacity(self, role, ctype, index):
        return len(self.room)

    def _give_out(self, role, ctype, index):
        self.outs.append((role[1], ffi.new(f"{role[1]} *")))
        return self.outs[-1][1]

    def _give_faults(self, role, ctype, index):
        self.faults = Faults()
        return self.faults.pointer

    # What comes back.

    def _finish(self, raw):
        kind = self.result_role[0]
        if self.room is not None:
            return self.room[:max(int(raw), 0)].copy()
        if self.faults and (kind == "bool" and not raw or kind == "object" and raw == ffi.NULL):
            raise CoulisError(f"{self.name} failed")
        if kind == "list":
            return [convert.to_python(raw[i]) for i in range(self.outs[0][1][0])]
        outs = [self._out(role, cdata) for role, cdata in self.outs]
        if kind == "bool" and outs:
            return (outs[0] if len(outs) == 1 else tuple(outs)) if raw else None
        result = self._result(kind, raw)
        if not outs:
            return None if kind == "bool" and self.faults else result
        if kind == "none" or kind == "str" and self.outs[0][0] == "text":
            return outs[0] if len(outs) == 1 else tuple(outs)
        return (result, *outs)

    def _result(self, kind, raw):
        if kind in ("none", "number", "bool"):
            return raw
        if kind == "enum":
            return int(raw)
        if kind == "str":
            return text(raw)
        if kind == "strs":
            return list(iter_texts(raw))
        if kind == "object":
            return self._object(raw)
        if kind == "copy":
            return None if raw == ffi.NULL else convert.to_python(raw[0], self.world)
        return convert.to_python(raw, self.world)

    def _object(self, raw):
        if raw == ffi.NULL:
            return None
        _, name, is_borrowed = self.result_role
        return convert.pointer_to_python(raw, ffi.typeof(raw)) if is_borrowed else convert.CLASSES[name]._own(raw)

    @staticmethod
    def _out(role, cdata):
        if role == "text":
            return text(cdata)
        cls = convert.CLASSES.get(role)
        return cls._take(cdata) if hasattr(cls, "_take") else convert.to_python(cdata[0])


def iter_texts(pointer):
    """A NULL-terminated list of texts."""
    index = 0
    while pointer != ffi.NULL and pointer[index] != ffi.NULL:
        yield text(pointer[index])
        index += 1


def call(name, *args):
    """Calls a C function with Python's values."""
    return _Call(name, args).run()


def check_open(what, pointer):
    if pointer is None:
        raise GoneError(f"this {what} is closed")
    return pointer
