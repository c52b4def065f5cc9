"""Reads a run's .usda by its grammar and compares it with the run's files: check_usda.py RUN

A strict reader of what Coulis writes: prims, attributes with their types, time samples, metadata; anything else is an error.
OpenUSD itself is not in Debian. Numbers are compared with the .vtp files (by Debian's VTK), bodies.csv and the meshes.
"""
import csv
import json
import math
import os
import re
import sys

from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLUnstructuredGridReader

folder = sys.argv[1]
with open(os.path.join(folder, "run.usda"), encoding="utf-8") as file:
    text = file.read()

TOKEN = re.compile(r'\s*(?:(#usda 1\.0\n)|"((?:[^"\\]|\\.)*)"|(<[^<>\s]+>)|([A-Za-z_][\w:]*(?:\[\])?(?:\.[A-Za-z]+)*)'
                   r"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([(){}\[\]=,:]))")
SCALARS = {"float": 1, "double": 1, "int": 1, "int64": 1, "token": 0, "string": 0, "point3f": 3, "vector3f": 3, "normal3f": 3,
           "color3f": 3, "float3": 3, "double3": 3, "float2": 2, "quatf": 4, "matrix4d": 16}


def check(is_ok, what):
    if not is_ok:
        sys.exit(f"run.usda: {what}")


class Reader:
    def __init__(self, text):
        self.text, self.at, self.next = text, 0, None
        self.step()

    def step(self):
        taken = self.next
        match = TOKEN.match(self.text, self.at)
        if match is None:
            check(self.text[self.at:].strip() == "", f"cannot be read at byte {self.at}: {self.text[self.at:self.at + 40]!r}")
            self.next = ("end", "")
        else:
            kind = ("magic", "string", "path", "word", "number", "mark")[match.lastindex - 1]
            self.next, self.at = (kind, match[match.lastindex]), match.end()
        return taken

    def take(self, kind, value=None):
        check(self.next[0] == kind and (value is None or self.next[1] == value), f"expected {value or kind}, got {self.next}")
        return self.step()[1]

    def has(self, value):
        if self.next[1] != value or self.next[0] == "string":
            return False
        self.step()
        return True


def read_metadata(reader):
    """( key = value ... )"""
    found = {}
    reader.take("mark", "(")
    while not reader.has(")"):
        if reader.next == ("word", "prepend"):
            reader.step()
        key = reader.take("word")
        reader.take("mark", "=")
        if reader.has("["):
            found[key] = [reader.take("string")]
            reader.take("mark", "]")
        else:
            kind, value = reader.step()
            check(kind in ("string", "number", "word"), f"value of {key}")
            found[key] = float(value) if kind == "number" else value
    return found


def read_one(reader, kind):
    size = SCALARS[kind]
    if size == 0:
        return reader.take("string")
    if size == 1:
        value = float(reader.take("number"))
        check(not kind.startswith("int") or value == int(value), f"{value} is no {kind}")
        return value
    numbers, depth = [], 0
    while True:
        if reader.has("("):
            depth += 1
        elif reader.has(")"):
            depth -= 1
            if depth == 0:
                break
        else:
            numbers.append(float(reader.take("number")))
        reader.has(",")
    check(len(numbers) == size, f"{len(numbers)} numbers in a {kind}")
    return tuple(numbers)


def read_value(reader, kind):
    if not kind.endswith("[]"):
        return read_one(reader, kind)
    values = []
    reader.take("mark", "[")
    while not reader.has("]"):
        values.append(read_one(reader, kind[:-2]))
        if reader.next != ("mark", "]"):
            reader.take("mark", ",")
    return values


def read_property(reader, prim):
    is_uniform = reader.has("uniform")
    reader.has("custom")
    kind = reader.take("word")
    if kind == "rel":
        name = reader.take("word")
        reader.take("mark", "=")
        prim["rels"][name] = reader.take("path")[1:-1]
        return
    check(kind.removesuffix("[]") in SCALARS, f"unknown type {kind}")
    name = reader.take("word")
    name, _, suffix = name.partition(".")
    attribute = {"type": kind, "uniform": is_uniform}
    check(name + suffix not in prim["attributes"], f"{name} is there twice")
    prim["attributes"][name + suffix if suffix == "connect" else name] = attribute
    if not reader.has("="):
        return
    if suffix == "connect":
        attribute["connect"] = reader.take("path")[1:-1]
    elif suffix == "timeSamples":
        samples = attribute["samples"] = {}
        reader.take("mark", "{")
        while not reader.has("}"):
            time = float(reader.take("number"))
            check(not samples or time > max(samples), f"samples of {name} are not in order")
            reader.take("mark", ":")
            samples[time] = read_value(reader, kind)
            reader.take("mark", ",")
    else:
        check(suffix == "", f"unknown field {suffix}")
        attribute["value"] = read_value(reader, kind)
    if reader.next == ("mark", "("):
        attribute.update(read_metadata(reader))


def read_prim(reader, prims, parent):
    reader.take("word", "def")
    kind, path = reader.take("word"), parent + "/" + reader.take("string")
    check(path not in prims, f"{path} is there twice")
    check(re.fullmatch(r"(/[A-Za-z_]\w*)+", path), f"{path} is no path")
    prim = prims[path] = {"type": kind, "attributes": {}, "rels": {}, "metadata": {}}
    if reader.next == ("mark", "("):
        prim["metadata"] = read_metadata(reader)
    reader.take("mark", "{")
    while not reader.has("}"):
        if reader.next == ("word", "def"):
            read_prim(reader, prims, path)
        else:
            read_property(reader, prim)


reader = Reader(text)
reader.take("magic")
layer, prims = read_metadata(reader), {}
while reader.next[0] != "end":
    read_prim(reader, prims, "")

with open(os.path.join(folder, "stage.json"), encoding="utf-8") as file:
    stage = json.load(file)
check(layer["upAxis"] == "Y" and layer["metersPerUnit"] == 1 and layer["timeCodesPerSecond"] == stage["fps"], f"layer {layer}")
check(layer["startTimeCode"] == 1 and layer["endTimeCode"] == 6 and layer["defaultPrim"] == "coulis", f"layer {layer}")
for path, prim in prims.items():
    connected = [a["connect"].rpartition(".")[0] for a in prim["attributes"].values() if "connect" in a]
    for target in list(prim["rels"].values()) + connected:
        check(target in prims, f"{path} points to {target}, which is not there")


def read_vtk(reader, name):
    reader.SetFileName(os.path.join(folder, name))
    reader.Update()
    return reader.GetOutput()


def read_vtp(name):
    return read_vtk(vtkXMLPolyDataReader(), name)


def rows_of(array):
    return memoryview(array).tolist()


def near(a, b):
    return all(abs(x - y) <= 1e-6 * max(1e-3, abs(y)) for x, y in zip(a, b))


def compare(name, got, wanted):
    check(len(got) == len(wanted), f"{name}: {len(got)} rows, expected {len(wanted)}")
    for i, (a, b) in enumerate(zip(got, wanted)):
        b = b if isinstance(b, list) else [b]
        check(near(a if isinstance(a, tuple) else (a,), b), f"{name} of row {i}: {a}, expected {b}")


particles, surface = prims["/coulis/particles"]["attributes"], prims["/coulis/surface"]["attributes"]
types = (prims["/coulis/particles"]["type"], prims["/coulis/surface"]["type"])
check(types == ("Points", "Mesh"), "types of particles and surface")
check(surface["subdivisionScheme"]["value"] == "none", "the surface would be subdivided")
for frame in range(1, 7):
    data = read_vtp(f"particles_{frame:06d}.vtp")
    compare("points", particles["points"]["samples"][frame], rows_of(data.GetPoints().GetData()))
    compare("velocities", particles["velocities"]["samples"][frame], rows_of(data.GetPointData().GetArray("velocity")))
    compare("ids", particles["ids"]["samples"][frame], rows_of(data.GetPointData().GetArray("id")))
    colors = [stage["materials"][m]["color"] for m in rows_of(data.GetPointData().GetArray("material"))]
    compare("displayColor", particles["primvars:displayColor"]["samples"][frame], colors)
    low, high = particles["extent"]["samples"][frame]
    check(all(l <= p <= h for point in particles["points"]["samples"][frame] for l, p, h in zip(low, point, high)), "extent")
    data = read_vtp(f"surface_{frame:06d}.vtp")
    counts = surface["faceVertexCounts"]["samples"][frame]
    check(len(counts) == data.GetNumberOfPolys() and set(counts) == {3}, "triangles of the surface")
    compare("faceVertexIndices", surface["faceVertexIndices"]["samples"][frame], rows_of(data.GetPolys().GetConnectivityArray()))
    compare("surface points", surface["points"]["samples"][frame], rows_of(data.GetPoints().GetData()))
    compare("surface velocities", surface["velocities"]["samples"][frame], rows_of(data.GetPointData().GetArray("velocity")))
    compare("surface normals", surface["normals"]["samples"][frame], rows_of(data.GetPointData().GetArray("normal")))
check(particles["widths"]["interpolation"] == "constant" and near(particles["widths"]["value"], [stage["spacing"]]), "widths")
check(surface["normals"]["interpolation"] == "vertex", "interpolation of normals")

with open(os.path.join(folder, "bodies.csv"), newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
for body in stage["bodies"]:
    path = "/coulis/bodies/" + body["name"]
    check(path in prims and path + "/mesh" in prims, f"{path} is missing")
    attributes = prims[path]["attributes"]
    mine = [row for row in rows if row["name"] == body["name"]]
    check(len(mine) == (3 if body["name"] == "guest" else 6), f"{len(mine)} rows of {body['name']}")
    check(attributes["xformOpOrder"]["value"] == ["xformOp:translate", "xformOp:orient"], "xformOpOrder")
    for row in mine:
        time = float(row["frame"])
        check(near(attributes["xformOp:translate"]["samples"][time], [float(row[k]) for k in "xyz"]), f"place of {body['name']}")
        turn = [float(row[k]) for k in ("qw", "qx", "qy", "qz")]
        check(near(attributes["xformOp:orient"]["samples"][time], turn), f"turn of {body['name']}")
    visible = attributes["visibility"]["samples"]
    check(visible == ({1: "inherited", 4: "invisible"} if body["name"] == "guest" else {1: "inherited"}), f"visibility {visible}")
    mesh = prims[path + "/mesh"]["attributes"]
    with open(os.path.join(folder, body["mesh"]), encoding="ascii") as file:
        lines = [line.split() for line in file]
    compare(path, mesh["points"]["value"], [[float(word) for word in words[1:4]] for words in lines if words[0] == "v"])
    corners = [int(word) - 1 for words in lines if words[0] == "f" for word in words[1:]]
    counted = sum(mesh["faceVertexCounts"]["value"])
    check(mesh["faceVertexIndices"]["value"] == corners and counted == len(corners), f"triangles of {path}")
check(len(stage["solids"]) == 2, "the run has two solids")
for solid in stage["solids"]:
    mesh = prims["/coulis/solids/" + solid["name"]]["attributes"]
    first, count = solid["first_point"], solid["point_count"]
    for frame in range(1, 7):
        data = read_vtk(vtkXMLUnstructuredGridReader(), f"solids_{frame:06d}.vtu")
        points = rows_of(data.GetPoints().GetData())
        part = points[first:first + count]
        compare("points of a solid", mesh["points"]["samples"][frame], part)
        velocities = rows_of(data.GetPointData().GetArray("velocity"))[first:first + count]
        compare("velocities of a solid", mesh["velocities"]["samples"][frame], velocities)
        low, high = mesh["extent"]["samples"][frame]
        check(all(l <= p <= h for point in mesh["points"]["samples"][frame] for l, p, h in zip(low, point, high)), "extent")
    check(len(points) == sum(s["point_count"] for s in stage["solids"]), "points of all solids")
    check(mesh["points"]["samples"][6] != mesh["points"]["samples"][1], "the solid does not move")
    # Every edge of a closed surface is there once in each direction.
    corners = [int(c) for c in mesh["faceVertexIndices"]["value"]]
    sides = [side for a, b, c in zip(corners[::3], corners[1::3], corners[2::3]) for side in ((a, b), (b, c), (c, a))]
    check(len(sides) == len(set(sides)) and all((b, a) in set(sides) for a, b in sides), "the surface is not closed")
    check(max(corners) < count and len(corners) == sum(mesh["faceVertexCounts"]["value"]), "corners of a solid")
camera = prims["/coulis/camera"]["attributes"]
check(prims["/coulis/camera"]["type"] == "Camera" and len(stage["cameras"]) == 6, "no camera, or it stands still")
for frame, view in enumerate(stage["cameras"], 1):
    matrix, length = camera["xformOp:transform"]["samples"][frame], camera["focalLength"]["samples"][frame]
    way = [t - f for f, t in zip(view["from"], view["to"])]
    distance = sum(x * x for x in way) ** 0.5
    looks_there = near([-x for x in matrix[8:11]], [x / distance for x in way])
    check(near(matrix[12:15], view["from"]) and looks_there, f"camera at {frame}")
    check(abs(2 * math.degrees(math.atan(0.12 / length)) - view["fov"]) < 1e-4, f"field of view {length}")
    check(abs(0.1 * length / camera["fStop"]["samples"][frame] - view["aperture"]) < 1e-6, "fStop")
    check(abs(camera["focusDistance"]["samples"][frame] - distance) < 1e-5, "focusDistance")
print(f"run.usda: {len(prims)} prims, {len(text)} bytes, 6 frames as in the run's files")
