#!/usr/bin/env python3
"""Makes what of the package is made: declarations for cffi, the plans of all functions, the classes with hints and docstrings.

usage: generate.py SOURCE_DIR LIBRARY_DIR CC PACKAGE_DIR

PACKAGE_DIR/lib must hold libcoulis-pin.so; LIBRARY_DIR the shared libraries, whose parameter tables are read.
"""
import importlib.util
import keyword
import os
import pprint
import re
import sys
import textwrap

import cffi
import headers as headers_module
from plans import Planner, bare, plural, snake

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

EXTRAS = """
void *couPin_Alloc(size_t bytes, size_t align);
void couPin_Free(void *memory);
bool couPin_Hold(const void *address);
void couPin_Drop(const void *address);
size_t couPin_Count(void);
void free(void *memory);
"""
VERBS = {"measure", "copy", "build", "inspect", "close", "save", "capture", "run", "format", "resample", "fill", "remove", "stop"}
DEFAULTS = {"threads": "0", "max_bytes": "0", "placement": "None", "region": "None", "region_pose": "None", "velocities": "None"}
SILENT = {"self", "faults", "count", "size", "context", "out", "text", "room", "capacity"}
HEAD = '"""Made by generate.py from the public headers and the parameter tables: do not edit."""\n'


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def python_name(name):
    """`def` is the definition; other words of Python's own end in an underscore."""
    return "definition" if name == "def" else name + "_" if keyword.iskeyword(name) else name


def enum_words(ffi, name):
    """{0: "plane"...}: the values without what their names share."""
    elements = {number: value for number, value in ffi.typeof(name).elements.items() if not value.endswith("Count")}
    names = [value[len("cou_"):] for value in elements.values()]
    shared = os.path.commonprefix(names)
    while shared and not all(len(name) > len(shared) and name[len(shared)].isupper() for name in names):
        shared = shared[:-1]
    return {number: snake(value[4 + len(shared):]).replace("_", "-") for number, value in elements.items()}


class Tables:
    """The parameter tables of the library, by the struct that they describe."""

    def __init__(self, headers, ffi, lib):
        self.ffi, self.lib, self.functions, self.rows, self.words = ffi, lib, {}, {}, {}
        for function in headers.functions:
            found = re.fullmatch(r"cou(\w+)Params", function.name)
            if not found or function.parameters:
                continue
            struct = next((s for s in (f"cou{found.group(1)}Def", f"cou{found.group(1)}") if s in headers.structs), None)
            if struct:
                self.functions[struct] = function.name
                self._read(struct, getattr(lib, function.name)())

    def _read(self, struct, table):
        offsets = {description.offset: name for name, description in self.ffi.typeof(struct).fields}
        for k in range(table.count):
            row = table.params + k
            name = self.ffi.string(row.name).decode()
            self.rows[f"{struct}.{name}"] = self._describe(row)
            field = offsets.get(row.offset)
            if row.choices != self.ffi.NULL and field:
                choices, index = {}, 0
                while row.choices[index] != self.ffi.NULL:
                    choices[index] = self.ffi.string(row.choices[index]).decode()
                    index += 1
                self.words[f"{struct}.{field}"] = choices

    def _describe(self, row):
        room = self.ffi.new("char[]", 512)
        text = self.ffi.string(row.help).decode() if row.help != self.ffi.NULL else ""
        unit = self.ffi.string(row.unit).decode()
        self.lib.couParam_FormatRange(row, room, 512)
        allowed = self.ffi.string(room).decode()
        self.lib.couParam_FormatDefault(row, room, 512)
        default = self.ffi.string(room).decode()
        return f"{text}{f' [{unit}]' if unit else ''}; {f'{allowed}, ' if allowed else ''}default {default or 'none'}"


class Writer:
    """Writes _api.py."""

    def __init__(self, headers, planner, tables, by_hand, bases):
        self.headers, self.planner, self.tables, self.by_hand, self.bases = headers, planner, tables, by_hand, bases
        self.rows, self.exported, self.methods, self.functions = [], [], {}, []
        self.handle_names = sorted(bare(name) for name in planner.handles)
        self.owned = {name for name in headers.structs if self._is_owned(name)}
        self.bound = {}

    def _is_owned(self, name):
        names = {function.name for function in self.headers.functions}
        return bool({f"{name}_Clear", f"couFree{name[3:]}"} & names) and name != "couFaults"

    # --- Which method of which class ---

    def sort(self, plans):
        for function in self.headers.functions:
            hand = self.by_hand
            if function.name in hand.BY_HAND or hand.is_lifetime(function.name) or hand.is_table(function.name):
                continue
            if function.name not in plans:
                continue
            roles, owner = plans[function.name][1], self.planner.owner(function)
            handle = roles[1][1] if owner == "couWorld" and len(roles) > 1 and roles[1][0] == "handle" else None
            if handle and handle in function.name.split("_")[1]:
                if function.name != f"couWorld_Has{handle}":
                    self._add_method(handle, self._handle_method(function.name.split("_")[1], handle), function, plans)
                else:
                    self.bound[function.name] = f"{handle}.exists"
            elif owner:
                name = snake(function.name.split("_")[1])
                own = bare(owner) if owner not in self.headers.structs else owner[3:]
                self._add_method(own, "definition" if name == "def" else name, function, plans)
            else:
                name = snake(function.name[3:].replace("_", ""))
                self.functions.append((name, function, plans[function.name]))
                self.bound[function.name] = name

    def _add_method(self, owner, name, function, plans):
        self.methods.setdefault(owner, []).append((name, function, plans[function.name]))
        self.bound[function.name] = f"{owner}.{name}"

    @staticmethod
    def _handle_method(name, handle):
        if name == handle:
            return "definition"
        return "change" if name == f"Set{handle}" else snake(name.replace(handle, "", 1))

    # --- Types as hints ---

    def hint(self, role, is_input):
        kind = role[0]
        if kind == "number":
            return "float" if role[1] in ("float", "double") else "int"
        if kind in ("value", "struct", "copy", "out", "list"):
            inner = self._struct_hint(role[1], is_input)
            return f"list[{inner}]" if kind == "list" else f"{inner} | None" if kind == "copy" else inner
        if kind == "handle":
            return role[1] + (" | str" if is_input and role[1] == "Material" else "" if is_input else " | None")
        if kind == "object":
            return role[1]
        if kind == "enum":
            return f"{bare(role[1])} | str" if is_input else "int"
        return {"bool": "bool", "str": "str | os.PathLike" if is_input else "str", "strs": "list[str]", "array": "ArrayLike",
                "call": "Callable", "none": "None", "text": "str"}[kind]

    def _struct_hint(self, name, is_input):
        if name in ("couVec3", "couVec4", "couQuat"):
            return "VectorLike" if is_input else "np.ndarray"
        if name in ("couPose", "couBounds"):
            return f"{bare(name)}Like" if is_input else bare(name)
        if name in ("int", "double", "float"):
            return "float" if name != "int" else "int"
        if name in self.owned:
            return name[3:]
        return "Mapping | Struct" if is_input else name[3:]

    def field_hint(self, struct, field, kind, is_input):
        if kind.is_function or kind.name in self.headers.callbacks:
            return "Callable | None"
        if kind.is_array:
            return "str" if kind.name == "char" else "np.ndarray"
        if kind.pointers:
            if kind.name == "char":
                return "str | None"
            if kind.name in self.headers.opaque:
                return f"{bare(kind.name)} | None" if kind.pointers == 1 else f"Sequence[{bare(kind.name)}]"
            return "ArrayLike | None" if is_input else "np.ndarray | None"
        if kind.name in self.headers.enums or f"{struct}.{field}" in self.tables.words:
            return "int | str" if is_input else "int"
        if kind.name in self.planner.handles:
            return self.hint(("handle", bare(kind.name)), is_input)
        if kind.name in self.headers.structs:
            return self._struct_hint(kind.name, is_input)
        if kind.name == "bool":
            return "bool"
        return "float | None" if is_input and kind.name in ("float", "double") else \
            "float" if kind.name in ("float", "double") else "int"

    # --- Text ---

    def line(self, text="", indent=0):
        self.rows.append(" " * indent + text if text else "")

    def doc(self, paragraphs, indent):
        """A docstring: the first paragraph filled, of the others each line."""
        text = [part.replace("\\", "\\\\").replace('"""', "'''") for part in paragraphs if part] or ["."]
        rows = textwrap.wrap(text[0], 126 - indent, break_long_words=False)
        for part in text[1:]:
            rows.append("")
            for row in part.split("\n"):
                rows += textwrap.wrap(row, 126 - indent, subsequent_indent="    ", break_long_words=False)
        if len(rows) == 1:
            self.line(f'"""{rows[0]}"""', indent)
            return
        self.line(f'"""{rows[0]}', indent)
        for row in rows[1:]:
            self.line(row, indent)
        self.line('"""', indent)

    def field_docs(self, struct):
        docs = []
        for field, kind in self.headers.structs[struct]:
            if field.endswith("_context"):
                continue
            key = f"{struct}.{field}"
            text = self.tables.rows.get(key) or self.headers.comments.get(key, "")
            choices = self.tables.words.get(key)
            known = self.headers.comments.get(key, "")
            extra = f" ({', '.join(choices.values())})" if choices and ", ".join(choices.values()) not in text else ""
            docs.append(f"{python_name(field)}: {text or known}{extra}".rstrip(": "))
        fields = {name for name, _ in self.headers.structs[struct]}
        docs += [f"{key.split('.')[1]}: {text}" for key, text in self.tables.rows.items()
                 if key.startswith(struct + ".") and key.split(".")[1] not in fields]
        if "pose" in fields:
            docs.append("at, rotation: the place [m] and unit quaternion of `pose`, one by one")
        return "\n".join(docs)

    # --- A function ---

    def signature(self, function, roles, handle):
        """Its visible parameters, what is passed on, and the def whose fields are keywords."""
        shown, passed, expanded = [], [], None
        structs = [role for role in roles if role[0] == "struct"]
        for (name, _), role in list(zip(function.parameters, roles))[1 if handle is not None else 0:]:
            if role[0] in SILENT or handle and role == ("handle", handle):
                continue
            if len(structs) == 1 and role[0] == "struct" and role[1].endswith(("Def", "Options")) and expanded is None:
                expanded = role[1]
                passed.append("given(locals())")
                continue
            name = python_name(name)
            shown.append((name, self.hint(role, True)))
            passed.append(name)
        texts = []
        for k, (name, hint) in enumerate(shown):
            default = DEFAULTS.get(name) if all(later in DEFAULTS for later, _ in shown[k:]) else None
            texts.append(f"{name}: {hint}" + (f" = {default}" if default else ""))
        return texts, passed, expanded

    def write_function(self, name, function, plan, handle=None, is_method=False):
        result, roles, is_const = plan
        texts, passed, expanded = self.signature(function, roles, handle if handle else "" if is_method else None)
        self_args = ["self._world", "self"] if handle else ["self"] if is_method else []
        is_property = is_method and is_const and not texts and not expanded and name.split("_")[0] not in VERBS
        indent = 4 if is_method else 0
        fields = []
        if expanded:
            fields = [f"{python_name(field)}: {self.field_hint(expanded, field, kind, True)} = ..." for field, kind in
                      self.headers.structs[expanded] if not field.endswith("_context")]
            plain = [text.split(":")[0] for text in texts]
            fields = [text for text in fields if text.split(":")[0] not in plain]
            fields += ["at: VectorLike = ...", "rotation: VectorLike = ..."] \
                if any(text.startswith("pose:") for text in fields) and not any(text.startswith("at:") for text in fields) else []
            fields = ["*", *fields, "**others: Any"]
        outs = [self.hint(role, False) for role in roles if role[0] in ("out", "text")]
        returned = self.result_hint(result, roles, outs)
        if is_property:
            self.line("@property", indent)
        self.write_head(f"def {name}(", [*(["self"] if is_method else []), *texts, *fields], f") -> {returned}:", indent)
        self.doc([function.comment or f"{name.replace('_', ' ').capitalize()}.", self.field_docs(expanded) if expanded else "",
                  f"C: {function.name}()"], indent + 4)
        if expanded:
            hidden = ", ".join(f'"{text.split(":")[0]}"' for text in texts)
            self.line(f"fields = given(locals(){f', {hidden}' if hidden else ''})", indent + 4)
            passed = [f'self._changed("{expanded}", fields)' if part == "given(locals())" and name == "change" else
                      "fields" if part == "given(locals())" else part for part in passed]
        self.line(f'return call("{function.name}"{"".join(", " + part for part in [*self_args, *passed])})', indent + 4)
        self.line()

    @staticmethod
    def result_hint_of(outs):
        return outs[0] if len(outs) == 1 else f"tuple[{', '.join(outs)}]"

    def result_hint(self, result, roles, outs):
        if result[0] == "list" or any(role[0] == "room" for role in roles):
            return self.hint(result, False) if result[0] == "list" else "np.ndarray"
        if result[0] == "bool" and outs:
            return self.result_hint_of(outs) + ("" if ("faults",) in roles else " | None")
        if result[0] == "bool" and ("faults",) in roles:
            return "None"
        if result[0] == "none" or result[0] == "str" and ("text",) in roles:
            return self.result_hint_of(outs) if outs else "None"
        return self.result_hint_of([self.hint(result, False), *outs])

    def write_head(self, head, parts, tail, indent):
        parts = [*parts[:-1], *(part + tail for part in parts[-1:])] or [tail]
        text = head.replace(" ", "\0") + ", ".join(part.replace(" ", "\0") for part in parts)  # rows end at commas
        for row in textwrap.wrap(text, 128 - indent, subsequent_indent=" " * len(head), break_long_words=False,
                                 break_on_hyphens=False):
            self.line(row.replace("\0", " "), indent)

    # --- The file ---

    def write(self, ffi):
        for name in self.headers.enums:
            self.write_enum(ffi, name)
        plain = {"couVec3", "couVec4", "couQuat", "couPose", "couBounds", "couFault", "couFaults", "couParam", "couParamTable"}
        for name, fields in self.headers.structs.items():
            if name not in plain | self.planner.handles:
                self.write_struct(name, fields)
        for name in self.handle_names:
            self.write_class(name, f"cou{name}Id", "Handle", handle=name)
        for name in self.headers.opaque:
            self.write_class(bare(name), name, "Object")
        for name, function, plan in self.functions:
            self.write_function(name, function, plan)
            self.exported.append(name)
        head = [HEAD, "from __future__ import annotations", "", "import enum", "import os",
                "from typing import Any, Callable, Mapping, Sequence, Union", "", "import numpy as np", "",
                "from . import _convert", "from ._calls import call, given",
                "from ._convert import Bounds, Pose, Struct",
                f"from ._objects import Handle, Object{self._imports('_objects')}",
                f"from ._owned import Owned{self._imports('_owned')}",
                "", "ArrayLike = Any  #: what numpy makes an array of", "VectorLike = Union[Sequence[float], np.ndarray]",
                "PoseLike = Union[Pose, VectorLike]", "BoundsLike = Union[Bounds, Sequence[VectorLike]]", ""]
        tail = ["", f"__all__ = {pprint.pformat(sorted(self.exported), width=128, compact=True)}", "",
                f"_convert.CLASSES.update({{cls.C_NAME: cls for cls in ({', '.join(n[3:] for n in self.structs_written)})}})",
                f"_convert.CLASSES.update({{cls.__name__: cls for cls in ({', '.join(self.things_written)})}})",
                "_convert.CLASSES[\"Handle\"] = Handle", ""]
        return "\n".join(head + self.rows + tail)

    structs_written = ()
    things_written = ()

    def _imports(self, module):
        names = sorted(name for name, where in self.bases.items() if where == module)
        return "".join(", " + name for name in names)

    def write_enum(self, ffi, name):
        words = enum_words(ffi, name)
        self.line(f"class {bare(name)}(enum.IntEnum):")
        full = ffi.typeof(name).elements
        notes = [f"{word}: {self.headers.comments[full[number]]}" for number, word in words.items()
                 if full[number] in self.headers.comments]
        self.doc([self.headers.comments.get(name) or f"{name}.", "\n".join(notes)], 4)
        self.line()
        for number, word in words.items():
            self.line(f"{word.upper().replace('-', '_')} = {number}", 4)
        self.line()
        self.line()
        self.exported.append(bare(name))

    def write_struct(self, name, fields):
        own = name[3:]
        base = f"{own}Base" if f"{own}Base" in self.bases else "Owned" if name in self.owned else "Struct"
        self.line(f"class {own}({base}):")
        self.doc([self.headers.comments.get(name) or f"{name}.", self.field_docs(name)], 4)
        self.line()
        self.line(f'C_NAME = "{name}"', 4)
        if name not in self.owned:
            for field, kind in fields:
                if not field.endswith("_context"):
                    self.line(f"{python_name(field)}: {self.field_hint(name, field, kind, False)}", 4)
        self.line()
        for method, function, plan in self.methods.get(own, []):
            self.write_function(method, function, plan, is_method=True)
        self.line()
        self.structs_written = (*self.structs_written, name)
        self.exported.append(own)

    def write_class(self, name, c_name, default_base, handle=None):
        base = f"{name}Base" if f"{name}Base" in self.bases else default_base
        self.line(f"class {name}({base}):")
        said = self.headers.comments.get(c_name) or self.headers.comments.get(f"cou{name}Def")
        self.doc([said or f"A {snake(name).replace('_', ' ')}."], 4)
        self.line()
        self.line(f'C_NAME = "{c_name}"', 4)
        self.line()
        for method, function, plan in self.methods.get(name, []):
            self.write_function(method, function, plan, handle=handle, is_method=True)
        if name == "World":
            self.write_collections()
        self.line()
        self.things_written = (*self.things_written, name)
        self.exported.append(name)

    def write_collections(self):
        names = {function.name for function in self.headers.functions}
        for name in self.handle_names:
            if {f"couWorld_{name}Count", f"couWorld_{name}At"} <= names:
                self.line("@property", 4)
                self.line(f"def {plural(snake(name))}(self) -> list[{name}]:", 4)
                self.line(f'"""All {plural(snake(name))} that are there."""', 8)
                self.line(f"return [self.{snake(name)}_at(k) for k in range(self.{snake(name)}_count)]", 8)
                self.line()


def find_bases(folder):
    found = {}
    for module in ("_objects", "_owned"):
        with open(os.path.join(folder, module + ".py"), encoding="utf-8") as file:
            found.update({name: module for name in re.findall(r"^class (\w+Base)\b", file.read(), re.M)})
    return found


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    source, library_dir, compiler, package = sys.argv[1:]
    headers = headers_module.Headers(os.path.join(source, "include"), compiler)
    builder = cffi.FFI()
    builder.set_source("coulis._cou", None)
    builder.cdef(headers.declarations + EXTRAS)
    builder.emit_python_code(os.path.join(package, "_cou.py"))
    ffi = load(os.path.join(package, "_cou.py"), "_cou").ffi
    lib = ffi.dlopen(os.path.join(library_dir, "libcoulis-studio.so"))

    planner = Planner(headers)
    plans = {function.name: planner.plan(function) for function in headers.functions}
    plans = {name: plan for name, plan in plans.items() if plan}
    tables = Tables(headers, ffi, lib)
    words = dict(tables.words)
    for struct, fields in headers.structs.items():
        for field, kind in fields:
            named = re.match(r"(cou[A-Z]\w+)", headers.comments.get(f"{struct}.{field}", ""))
            if named and named.group(1) in headers.enums and kind.name == "int":
                words.setdefault(f"{struct}.{field}", enum_words(ffi, named.group(1)))
    writer = Writer(headers, planner, tables, load(os.path.join(package, "_by_hand.py"), "_by_hand"), find_bases(package))
    writer.sort(plans)
    text = writer.write(ffi)
    data = {"CONSTANTS": headers.constants, "PLANS": plans, "ENUMS": {name: enum_words(ffi, name) for name in headers.enums},
            "TABLES": tables.functions, "WORDS": words, "BOUND": writer.bound,
            "FUNCTIONS": [function.name for function in headers.functions]}
    with open(os.path.join(package, "_data.py"), "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(f"{name} = {pprint.pformat(value, width=128, compact=True)}\n" for name, value in data.items()))
    with open(os.path.join(package, "_api.py"), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
