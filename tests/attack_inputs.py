"""What attack_test.py attacks with: made from a random generator that it is given, so that a seed always gives the same."""
import base64
import gzip
import json
import os
import struct
import zlib


def damage(rng, data):
    """Some bytes changed, cut, doubled or shuffled."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        kind = rng.randrange(7)
        at = rng.randrange(len(data) + 1)
        if kind == 0 and data:
            data[at % len(data)] = rng.randrange(256)
        elif kind == 1:
            del data[at:at + rng.choice((1, 8, 100))]
        elif kind == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 64))))
        elif kind == 3:
            data[at:at] = data[at:at + rng.choice((4, 50, 400))]
        elif kind == 4:
            data[at:at + 4] = struct.pack("<I", rng.choice((0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 20)))
        elif kind == 5:
            data[at:at] = rng.choice((b"nan", b"-1", b"1e999", b"9" * 20, b"\0", b"\xff\xfe", b"<", b'"', b"{" * 50))
        else:
            data = data[:at]
    return bytes(data)


# --- Meshes ---

POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def obj():
    vertices = "".join("v %g %g %g\n" % p for p in POINTS)
    return (vertices + "".join("f %d %d %d\n" % tuple(i + 1 for i in f) for f in FACES)).encode()


def ply(is_binary):
    head = (f"ply\nformat {'binary_little_endian' if is_binary else 'ascii'} 1.0\nelement vertex 4\nproperty float x\n"
            "property float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n").encode()
    if is_binary:
        return head + b"".join(struct.pack("<3f", *p) for p in POINTS) + b"".join(struct.pack("<B3i", 3, *f) for f in FACES)
    return head + "".join("%g %g %g\n" % p for p in POINTS).encode() + "".join("3 %d %d %d\n" % f for f in FACES).encode()


def stl(is_binary):
    if is_binary:
        return bytes(80) + struct.pack("<I", 4) + b"".join(
            struct.pack("<12fH", 0, 0, 0, *POINTS[a], *POINTS[b], *POINTS[c], 0) for a, b, c in FACES)
    lines = ["solid a"]
    for face in FACES:
        lines += ["facet normal 0 0 0", "outer loop", *("vertex %g %g %g" % POINTS[i] for i in face), "endloop", "endfacet"]
    return "\n".join(lines + ["endsolid a\n"]).encode()


def gltf_parts():
    data = b"".join(struct.pack("<3f", *p) for p in POINTS) + b"".join(struct.pack("<3H", *f) for f in FACES)
    document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
                "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
                "buffers": [{"byteLength": len(data)}],
                "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48},
                                {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
                "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0],
                               "max": [1, 1, 1]},
                              {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]}
    return document, data


def gltf():
    document, data = gltf_parts()
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps(document).encode()


def glb():
    document, data = gltf_parts()
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def three_ds():
    def chunk(kind, data):
        return struct.pack("<HI", kind, 6 + len(data)) + data
    points = struct.pack("<H", 4) + b"".join(struct.pack("<3f", *p) for p in POINTS)
    faces = struct.pack("<H", 4) + b"".join(struct.pack("<4H", *f, 0) for f in FACES)
    return chunk(0x4d4d, chunk(0x3d3d, chunk(0x4000, b"a\0" + chunk(0x4100, chunk(0x4110, points) + chunk(0x4120, faces)))))


def meshes(rng, count):
    kinds = [("a.obj", obj()), ("a.ply", ply(False)), ("a.ply", ply(True)), ("a.stl", stl(False)), ("a.stl", stl(True)),
             ("a.gltf", gltf()), ("a.glb", glb()), ("a.3ds", three_ds())]
    for number in range(count):
        name, data = kinds[number % len(kinds)]
        yield name, data if number < len(kinds) else damage(rng, data)


# --- Meshes of solids ---

CORNERS = [(0, 0, 0), (.1, 0, 0), (0, .1, 0), (0, 0, .1), (.1, .1, .1)]
TETRAHEDRA = [(0, 1, 2, 3), (1, 4, 2, 3)]


def msh2(points=None, cells=None):
    points, cells = points or CORNERS, cells or TETRAHEDRA
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    lines += ["%d %.9g %.9g %.9g" % (i + 1, *p) for i, p in enumerate(points)]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    lines += [f"{i + 1} {4 if len(c) == 4 else 2} 2 1 1 " + " ".join(str(k + 1) for k in c) for i, c in enumerate(cells)]
    return "\n".join(lines + ["$EndElements", ""]).encode()


def msh4():
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$Nodes", "1 5 1 5", "3 1 0 5"] + [str(i + 1) for i in range(5)]
    lines += ["%g %g %g" % p for p in CORNERS] + ["$EndNodes", "$Elements", "1 2 1 2", "3 1 4 2"]
    lines += [f"{i + 1} " + " ".join(str(k + 1) for k in c) for i, c in enumerate(TETRAHEDRA)]
    return "\n".join(lines + ["$EndElements", ""]).encode()


def vtu(points=None, cells=None, counts=None):
    points, cells = points or CORNERS, cells or TETRAHEDRA
    counts = counts or (len(points), len(cells))
    numbers = " ".join("%.9g" % x for p in points for x in p)
    corners, offsets = " ".join(str(k) for c in cells for k in c), " ".join(str(len(c) * (i + 1)) for i, c in enumerate(cells))
    types = " ".join("10" if len(c) == 4 else "5" for c in cells)
    return (f'<VTKFile type="UnstructuredGrid" version="1.0"><UnstructuredGrid><Piece NumberOfPoints="{counts[0]}" '
            f'NumberOfCells="{counts[1]}"><Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">{numbers}'
            f'</DataArray></Points><Cells><DataArray type="Int32" Name="connectivity" format="ascii">{corners}</DataArray>'
            f'<DataArray type="Int32" Name="offsets" format="ascii">{offsets}</DataArray><DataArray type="UInt8" Name="types" '
            f'format="ascii">{types}</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>').encode()


def bad_solids():
    """Whole files of meshes that are none: (points, cells)."""
    flat = [(x, y, 0) for x, y, _ in CORNERS]
    yield flat, TETRAHEDRA
    yield [(0, 0, 0)] * 5, TETRAHEDRA
    yield CORNERS, [(0, 1, 2, 2), (1, 4, 2, 3)]
    yield CORNERS, [(0, 1, 2, 3)] * 3
    yield CORNERS, [(0, 1, 2, 3), (1, 0, 2, 3)]
    yield CORNERS, [(0, 1, 2, 9)]
    yield CORNERS, [(0, 1, 2, 4294967295)]
    yield [(x * 1e-20, y * 1e-20, z * 1e-20) for x, y, z in CORNERS], TETRAHEDRA
    yield [(x * 1e20, y * 1e20, z * 1e20) for x, y, z in CORNERS], TETRAHEDRA
    yield [(float("nan"), 0, 0)] + CORNERS[1:], TETRAHEDRA
    yield [(float("inf"), 0, 0)] + CORNERS[1:], TETRAHEDRA
    yield [(x * 1e-6, y * 1e-6, z * 1e-6) for x, y, z in CORNERS], TETRAHEDRA
    yield [(x, y, z * 1e-7) for x, y, z in CORNERS], TETRAHEDRA
    yield CORNERS + [(9, 9, 9), (9.1, 9, 9), (9, 9.1, 9), (9, 9, 9.1)], TETRAHEDRA + [(5, 6, 7, 8)]
    yield CORNERS, [(0, 1, 2)]


def solid_meshes(rng, count):
    triangles = [(0, 1, 2), (1, 4, 2)]
    flat = [(x, y, 0) for x, y, _ in CORNERS[:4]] + [(.1, .1, 0)]
    good = [("a.msh", msh2(), 3), ("a.msh", msh4(), 3), ("a.vtu", vtu(), 3), ("a.msh", msh2(flat, triangles), 2),
            ("a.vtu", vtu(flat, triangles), 2)]
    yield from good
    made = len(good)
    for points, cells in bad_solids():
        yield "a.msh", msh2(points, cells), 3
        yield "a.vtu", vtu(points, cells), 3
        made += 2
    for counts in ((0, 0), (-1, -1), (1 << 40, 2), (5, 1 << 62), (4, 2), (6, 2), (5, 1), (5, 3)):
        yield "a.vtu", vtu(counts=counts), 3
        made += 1
    for number in range(count - made):
        name, data, dimension = good[number % len(good)]
        yield name, damage(rng, data), dimension


# --- Bombs ---

def vtp_bomb():
    """A compressed frame that unpacks to gigabytes."""
    block = zlib.compress(bytes(1 << 20), 9)
    blocks = 3000
    head = struct.pack("<%dQ" % (3 + blocks), blocks, 1 << 20, 0, *[len(block)] * blocks)
    count = blocks * (1 << 20) // 12
    text = (f'<?xml version="1.0"?><VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64" '
            f'compressor="vtkZLibDataCompressor"><PolyData><Piece NumberOfPoints="{count}"><Points><DataArray type="Float32" '
            f'NumberOfComponents="3" format="appended" offset="0"/></Points></Piece></PolyData><AppendedData encoding="raw">_')
    return text.encode() + head + block * blocks + b"</AppendedData></VTKFile>"


def gltf_bomb(copies):
    document, data = gltf_parts()
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    document["nodes"] = [{"mesh": 0}] * copies
    document["scenes"] = [{"nodes": list(range(copies))}]
    return json.dumps(document).encode()


def bombs(_):
    header = ("ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
              "%send_header\n")
    faces = "element face 4000000000\nproperty list uchar int vertex_indices\n"
    yield "a.vtp", vtp_bomb(), ["info"]
    yield "b.vtp", vtp_bomb()[:100000], ["info"]
    yield "a.ply", (header % (1 << 62, "")).encode(), ["info"]
    yield "b.ply", (header % (4000000000, faces)).encode() + bytes(1000), ["info"]
    yield "a.json", b"[" * 5000000, ["info"]
    yield "b.json", b'{"a":' * 1000000 + b"1" + b"}" * 1000000, ["info"]
    yield "c.vtp", b"<VTKFile>" + b"<a>" * 2000000, ["info"]
    entities = [b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10 if i else b"a" * 10) for i in range(10)]
    yield "d.vtp", b"<!DOCTYPE x [" + b"".join(entities) + b"]><x>&a9;</x>", ["info"]
    yield "a.vtk", b"# vtk DataFile Version 3.0\nx\nBINARY\nDATASET POLYDATA\nPOINTS 4000000000000 float\n", ["info"]
    yield "a.gltf", gltf_bomb(100000), ["info"]
    yield "a.glb", struct.pack("<4sII", b"glTF", 2, 0xffffffff) + struct.pack("<I4s", 0xfffffff0, b"JSON") + b"{" * 1000, ["info"]
    yield "a.stl", bytes(80) + struct.pack("<I", 0xffffffff) + bytes(1000), ["info"]
    most = b"9" * 15
    yield "a.msh", b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%s\n1 0 0 0\n$Elements\n%s\n" % (most, most), ["info"]
    yield "b.msh", b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n%s 1 1 1\n" % most + b"3 1 0 0\n" * 300000, ["info"]
    yield "a.obj", b"v 0 0 0\n" + b"f " + b"1 " * 2000000 + b"\n", ["info"]
    yield "a.csv", b"a" + b",a" * 3000000 + b"\n", ["info"]
    yield "a.lua", b"return " + b"(" * 1000000, ["check"]
    yield "b.lua", b"scene {} local t = " + b"{" * 300 + b"}" * 300, ["check"]
    yield "c.lua", b"-- " + b"x" * 200000000, ["check"]
    yield "d.lua", b"scene { spacing = 1e-6 } fluid { material = 'water', shape = box { size = {1, 1, 1} } }", ["check"]
    yield "e.lua", b"scene { spacing = 0.01 } body { shape = mesh { file = 'a.obj', cell = 1e-7 } }", ["check"]
    yield "a.vtp.gz", gzip.compress(bytes(100000000)), ["info"]
    yield "a.h5", b"Coulis checkpoint 1\nbytes 99999999999999\nxxh3 0\n" + bytes(10000), ["info"]


# --- Folders: (name, function that makes it and gives the place, exit codes) ---

def folders():
    def holding(name, mark=None):
        def make():
            os.mkdir("target")
            for each in (name, mark):
                if each:
                    with open(f"target/{each}", "w", encoding="ascii") as file:
                        file.write("mine\n")
            return "target"
        return make

    def linked(name, to):
        def make():
            os.mkdir("target")
            os.symlink(to, f"target/{name}")
            return "target"
        return make

    def plain(place):
        return lambda: place

    for name in ("run.json", "diagnostics.csv", "command.txt", "stage.json", "bodies.csv", "checkpoint.h5",
                 "particles_000001.vtp", "particles_000000.vtp", "particles.pvd", "checkpoint_previous.h5", "checkpoint_new.h5"):
        yield f"{name} of somebody else", holding(name, "run.json"), (2,)
    for name in ("film.mp4", "picture.png", "surface_000001.obj", "notes.txt", ".hidden"):
        yield f"{name} beside", holding(name), (0,)
    for name in ("run.json", "checkpoint.h5", "particles_000001.vtp", ".coulis-files"):
        yield f"a link as {name}", linked(name, "../elsewhere/mine"), (2,)
    yield "a link as bodies", linked("bodies", "../elsewhere"), (1, 2)
    yield "a list that is not ours", holding(".coulis-files"), (0, 2)
    for place in ("/proc/none", "/dev/null", "elsewhere/mine", "elsewhere/mine/x", "", "a" * 300, "a\0b".replace("\0", "\1")):
        yield f"the place {place[:20]!r}", plain(place), (0, 2) if "\1" in place else (2,)


# --- Command lines ---

COMMANDS = [
    "run", "check", "surface", "render", "view", "export", "info", "list", "help", "bench", "validate", "compare", "sweep",
    "measure", "nothing", "",
]
OPTIONS = [
    "--out", "--frames", "--seconds", "--fps", "--method", "--set", "--threads", "--export", "--checkpoint-every", "--resume",
    "--size", "--quality", "--listen", "--port", "--to", "--json", "--film", "--color-by", "--color-range", "--snapshot",
    "--record", "--nothing", "--", "-", "---", "-x", "--help", "--quiet", "--force", "--video", "--surface",
]
WORDS = [
    "-1", "0", "1e999", "nan", "inf", "99999999999999999999", "", " ", "x", "\x1b[2J", "%s%n", "../..", "/etc/passwd",
    "/dev/null", "a=b", "=", "spacing=", "spacing=0/0", "method=x", "1:2:3", "::1", "256.256.256.256", "65536", "-0", "0x10",
    "1,2,3", ",", "vtk,vtk", "none", "x" * 5000, "in/scene.lua", "in", ".",
]


def command_lines(rng, count):
    addresses = ("", "x", "256.1.1.1", "1.2.3", "[::1", "localhost:99", "in", "-1", "127.0.0.1 ", "0.0.0.0.0", "\x1b[2J",
                 "x" * 300)
    fixed = [["view", "in/scene.lua", "--listen", value] for value in addresses]
    fixed += [["view", "in/scene.lua", "--port", value] for value in ("-1", "65536", "1e9", "x", "", "80x", "nan")]
    fixed += [["view", "in/nothing.lua"], ["view", "in"], ["view"], ["view", "/dev/null"],
              ["view", "in/scene.lua", "--record", ""]]
    yield from fixed
    for _ in range(count - len(fixed)):
        command = rng.choice([c for c in COMMANDS if c not in ("view", "bench", "validate", "sweep")])
        arguments = [command]
        if command in ("run", "check") and rng.random() < 0.7:
            arguments.append("in/scene.lua")
        for _ in range(rng.randrange(4)):
            arguments.append(rng.choice(OPTIONS))
            if rng.random() < 0.8:
                arguments.append(rng.choice(WORDS))
        if "run" in arguments[:1]:
            arguments += ["--out", "out", "--frames", "1", "--quiet"]
        yield arguments
