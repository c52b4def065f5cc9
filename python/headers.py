"""The public headers of Coulis as data: declarations for cffi, functions with their parameters, and what the comments say."""
import os
import re
import subprocess
import tempfile

from pycparser import c_ast, c_parser

# What cffi knows by itself and pycparser does not.
KNOWN_TYPES = ("typedef _Bool bool; typedef unsigned long size_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;"
               "typedef unsigned int uint32_t; typedef unsigned long uint64_t; typedef int int32_t; typedef long int64_t;")


def preprocess(include, compiler, *options):
    """The headers without C's own and without attributes."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("math", "stdarg", "stdbool", "stddef", "stdint"):
            open(os.path.join(empty, name + ".h"), "w", encoding="utf-8").close()
        command = [*compiler.split(), "-E", *options, "-nostdinc", "-D__attribute__(x)=", "-I", empty, "-I", include, "-x", "c",
                   "-"]
        return subprocess.run(command, input="#include <coulis/studio.h>\n", check=True, capture_output=True, text=True).stdout


def constants(include, compiler):
    """The macros that are plain numbers or texts, by name."""
    found = {}
    for name, value in re.findall(r"^#define (COU_\w+) (.+)$", preprocess(include, compiler, "-dM"), re.M):
        if re.fullmatch(r'-?\d+|"[^"]*"', value):
            found[name] = int(value) if value[0] != '"' else value[1:-1]
    return found


class Type:
    """A parameter's or a result's type: the name at its bottom, the pointers on it, and what of it is const."""

    def __init__(self, node):
        self.pointers, self.is_array, self.is_function = 0, False, False
        while isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl)):
            self.pointers += 1
            self.is_array = self.is_array or isinstance(node, c_ast.ArrayDecl)
            node = node.type
        if isinstance(node, c_ast.FuncDecl):
            self.is_function, self.name, self.is_const = True, "", False
            return
        self.is_const = "const" in node.quals
        inner = node.type
        self.name = " ".join(inner.names) if isinstance(inner, c_ast.IdentifierType) else inner.name


class Function:
    """A public function: its result, its parameters as (name, type), and its comment."""

    def __init__(self, name, node, comment):
        self.name, self.comment, self.result = name, comment, Type(node.type)
        listed = node.args.params if node.args else []
        self.is_variadic = any(isinstance(p, c_ast.EllipsisParam) for p in listed)
        self.parameters = [(p.name or "", Type(p.type)) for p in listed if not isinstance(p, c_ast.EllipsisParam)]
        if len(self.parameters) == 1 and self.parameters[0][1].name == "void" and not self.parameters[0][1].pointers:
            self.parameters = []


class Headers:
    """All that the public headers declare."""

    def __init__(self, include, compiler):
        self.declarations = preprocess(include, compiler, "-P")
        self.constants = constants(include, compiler)
        comments = Comments()
        for name in sorted(os.listdir(os.path.join(include, "coulis"))):
            with open(os.path.join(include, "coulis", name), encoding="utf-8") as file:
                comments.read(file.read())
        self.comments = comments.found
        self.functions, self.structs, self.enums, self.opaque, self.callbacks = [], {}, {}, [], []
        for item in c_parser.CParser().parse(KNOWN_TYPES + self.declarations).ext:
            if isinstance(item, c_ast.Typedef) and item.name.startswith("cou"):
                self._take_type(item)
            elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl):
                self.functions.append(Function(item.name, item.type, self.comments.get(item.name, "")))

    def _take_type(self, item):
        node = item.type
        if isinstance(node, c_ast.FuncDecl):
            self.callbacks.append(item.name)
            return
        inner = node.type
        if isinstance(inner, c_ast.Enum):
            self.enums[item.name] = [value.name for value in inner.values.enumerators]
        elif isinstance(inner, c_ast.Struct) and inner.decls is None:
            self.opaque.append(item.name)
        elif isinstance(inner, c_ast.Struct):
            self.structs[item.name] = [(field.name, Type(field.type)) for field in inner.decls]


class Comments:
    """The /// comments of headers by what they stand at: "couWorld_Step", "couBodyDef", "couBodyDef.density", "cou_shapeBox"."""

    def __init__(self):
        self.found = {}

    def _note(self, name, text):
        text = " ".join(text.split())
        if text:
            self.found[name] = (self.found.get(name, "") + " " + text).strip()

    def read(self, text):
        above, statement, names, inside = "", "", [], []
        for row in text.split("\n"):
            row = row.strip()
            trailing = re.search(r"///<(.*)$", row)
            if row.startswith("///<"):
                for name in names:
                    self._note(name, trailing.group(1))
                continue
            if row.startswith("///"):
                above += " " + row[3:]
                continue
            code = re.sub(r"//.*$", "", row).strip()
            if not code or code.startswith("#") or code == 'extern "C" {' or (code == "}" and not inside):
                if not row.startswith("//"):
                    above = "" if not statement else above
                continue
            statement = (statement + " " + code).strip()
            opened = re.fullmatch(r"typedef (struct|enum) (cou\w+) \{", statement)
            if opened:
                inside = [opened.group(2), opened.group(1)]
                self._note(opened.group(2), above)
                above = statement = ""
                continue
            is_value = inside and inside[1] == "enum" and not statement.startswith("}")
            if not is_value and not statement.endswith(";") and "}" not in statement:
                continue
            names = self._names(statement, inside)
            for name in names:
                self._note(name, above + " " + (trailing.group(1) if trailing else ""))
            inside = [] if statement.startswith("}") else inside
            above = statement = ""

    @staticmethod
    def _names(statement, inside):
        if statement.startswith("}"):
            return []
        if inside and inside[1] == "enum":
            return re.findall(r"\b(cou_\w+)", statement)[:1]
        if inside:
            declarators = re.sub(r"\[[^]]*\]", "", statement.rstrip(";")).split(",")
            ends = [re.search(r"(\w+)$", part.strip()) for part in declarators]
            return [f"{inside[0]}.{end.group(1)}" for end in ends if end]
        found = re.search(r"\b(cou\w+) ?\(", statement) or re.search(r"\b(cou\w+);", statement)
        return [found.group(1)] if found else []
