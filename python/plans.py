"""How each C function is called from Python: a role for every parameter and for the result, found from the headers alone.

Functions that do not fit the rules are left to hand-written code (coulis/_by_hand.py); all others, also those that come later,
are bound by what is decided here. A plan is (result, roles, is_const):
    ("self",) ("handle", "Body") ("object", "Shape") ("struct", "couBodyDef") ("value", "couVec3") ("number", "int") ("bool",)
    ("enum", "couPhase") ("str",) ("strs",) ("array", "couVec3") ("count", K) ("call", "couEventFcn") ("context",) ("text",)
    ("size",) ("out", "couBounds") ("room", "double") ("capacity",) ("faults",)
Results are of the same kinds, and ("copy", "couBodyDef") of what a const pointer shows, ("list", ...) of many; the third part of
("object", "Mesh", is_borrowed) tells whether the caller owns it. Of parameters that are objects or arrays the third part tells
whether they may be None.
"""
import re

NUMBERS = {"int", "unsigned", "unsigned int", "float", "double", "size_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", 
           "int32_t", "int64_t", "long"}
# Const pointers to these are arrays; to any other struct, one of it.
ARRAY_ITEMS = NUMBERS | {"couVec3", "couKeyframe"}
# What may be NULL, as the headers say; no other pointer may.
OPTIONAL = {"region", "velocities"}
# Pointers that the callee fills up to a capacity, returning how many there are or were copied: numbers, which are taken with as
# much room as it needs, or what only hand-written code knows.
ROOM_NAMES = {"capacity"}


def bare(name):
    """couBodyDef -> Body, couBodyId -> Body, couMesh -> Mesh."""
    return re.sub(r"(?<=.)(Def|Id)$", "", name[3:] if name.startswith("cou") else name)


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def plural(word):
    return word[:-1] + "ies" if word.endswith("y") else word + "s"


class Planner:
    """Finds the plan of a function, or None where the rules do not know what to do with it."""

    def __init__(self, headers):
        self.headers = headers
        self.handles = {name for name, fields in headers.structs.items()
                        if name.endswith("Id") and [field for field, _ in fields] == ["index1", "generation"]}

    def plan(self, function):
        if function.is_variadic or function.name.startswith("couFaults_"):
            return None
        roles = []
        for k in range(len(function.parameters)):
            role = self._role(function, k, roles)
            if role is None:
                return None
            roles.append(role)
        result = self._result(function, roles)
        first = function.parameters[0][1] if function.parameters else None
        return None if result is None else (result, roles, bool(first and first.pointers and first.is_const))

    def owner(self, function):
        """The type whose method it is: couWorld_Step is one of couWorld; None for a function of the module."""
        name = function.name.split("_")[0] if "_" in function.name else None
        known = name in self.headers.opaque or name in self.headers.structs
        first = function.parameters[0][1] if function.parameters else None
        return name if known and first and first.name == name and first.pointers == 1 else None

    def _role(self, function, k, before):
        name, kind = function.parameters[k]
        following = function.parameters[k + 1] if k + 1 < len(function.parameters) else (None, None)
        if name in ROOM_NAMES:
            return ("capacity",) if before and before[-1][0] == "room" else None
        if following[0] in ROOM_NAMES:
            is_plain = kind.name in NUMBERS and kind.pointers == 1 and not kind.is_const and function.result.name in NUMBERS
            return ("room", kind.name) if is_plain and self.owner(function) else None
        if kind.is_function:
            return None
        if k == 0 and self.owner(function):
            return ("self",)
        if kind.pointers == 0:
            return self._value_role(name, kind, before)
        if kind.name == "couFaults":
            return ("faults",)
        if kind.name == "void":
            return ("context",) if before and before[-1][0] == "call" else None
        if kind.pointers == 2:
            return ("strs",) if kind.name == "char" and kind.is_const else None
        if kind.name == "char":
            return ("str",) if kind.is_const else ("text",) if following[0] == "size" else None
        if kind.name in self.headers.callbacks:
            return ("call", kind.name)
        if kind.name in self.headers.opaque:
            return ("object", bare(kind.name), name in OPTIONAL)
        if kind.is_const:
            return ("array", kind.name, name in OPTIONAL) if kind.name in ARRAY_ITEMS else ("struct", kind.name)
        if kind.name == "couVec3" and following[0] == "count" or kind.name in ("uint8_t", "float"):
            return None
        return ("out", kind.name)

    def _value_role(self, name, kind, before):
        if before and before[-1] == ("text",):
            return ("size",)
        done = [role[1] for role in before if role[0] == "count"]
        lists = [k for k, role in enumerate(before) if role[0] in ("array", "strs") and k > max(done, default=-1)]
        if lists and (name == "count" or name.endswith("_count")) and kind.name in NUMBERS:
            return ("count", lists[0])
        if kind.name in self.handles:
            return ("handle", bare(kind.name))
        if kind.name in self.headers.structs:
            return ("value", kind.name)
        if kind.name in self.headers.enums:
            return ("enum", kind.name)
        if kind.name in ("bool", "_Bool"):
            return ("bool",)
        return ("number", kind.name) if kind.name in NUMBERS else None

    def _result(self, function, roles):
        kind = function.result
        if kind.pointers == 0:
            return ("none",) if kind.name == "void" else self._value_role("", kind, [])
        if kind.pointers == 2:
            return ("strs",) if kind.name == "char" and kind.is_const else None
        if kind.name == "char":
            return ("str",) if kind.is_const else None
        if kind.name in self.headers.opaque:
            return ("object", bare(kind.name), kind.is_const) if kind.name != "couWorld" else None
        if kind.name in self.headers.structs and kind.is_const and kind.name not in ("couVec3", "couParam", "couParamTable"):
            return ("list" if ("out", "int") in roles else "copy", kind.name)
        return None
