"""Loads a run of Coulis into Blender: particles, surface, bodies, solids, materials and camera, as an animation.

    blender --background --python tools/blender/coulis_import.py -- RUN_FOLDER [--save FILE.blend] [--render [FOLDER]]
        [--samples N] [--size WxH] [--frames A-B] [--look FILE.json]

or as an add-on (Edit > Preferences > Add-ons > Install...), then File > Import > Coulis run: choose the run's stage.json.

Particles, surface and deformable solids are read from the run's files whenever the frame changes; bodies have keyframes. The handler that reads is kept in
the .blend as a text that runs when the file is opened (allow "Auto Run Python Scripts", or start Blender with -y). The attribute
"velocity" [m/s] gives Cycles its motion blur. The run is in metres with y up: the empty "Coulis" turns it to Blender's z up.
Blender 3.4 or later, with numpy.
"""

bl_info = {
    "name": "Coulis run",
    "author": "The Coulis authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Import > Coulis run",
    "description": "Particles, surfaces and bodies of a Coulis simulation as an animation",
    "category": "Import-Export",
}

import csv
import json
import math
import os
import re
import struct
import sys
import zlib

import bpy
import numpy as np
from bpy.app.handlers import persistent
from mathutils import Matrix, Vector

# --- Files ----------------------------------------------------------------------------------------------------------------------

VTK_TYPES = {"Float32": "f4", "Float64": "f8", "Int8": "i1", "UInt8": "u1", "Int16": "i2", "UInt16": "u2",
             "Int32": "i4", "UInt32": "u4", "Int64": "i8", "UInt64": "u8"}
PLY_TYPES = {"char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
             "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
             "double": "f8", "float64": "f8"}


def read_vtp(path):
    """Arrays by name of a .vtp or .vtu as Coulis writes it: raw appended blocks, packed by zlib, little-endian."""
    with open(path, "rb") as file:
        data = file.read()
    mark = b'<AppendedData encoding="raw">'
    end = data.find(mark)
    if end < 0 or b'compressor="vtkZLibDataCompressor"' not in data[:end] or b'header_type="UInt64"' not in data[:end]:
        raise ValueError(f"{path}: is not a .vtp of Coulis; coulis export --to vtp makes one of others")
    base = data.index(b"_", end + len(mark)) + 1
    arrays = {}
    for tag in re.finditer(r'<DataArray type="(\w+)" Name="(\w+)" NumberOfComponents="(\d+)" format="appended" offset="(\d+)"',
                           data[:end].decode("ascii")):
        kind, name, components, offset = VTK_TYPES[tag[1]], tag[2], int(tag[3]), base + int(tag[4])
        count, block, last = struct.unpack_from("<3Q", data, offset)
        sizes = struct.unpack_from(f"<{count}Q", data, offset + 24)
        place, pieces = offset + 24 + 8 * count, []
        for size in sizes:
            pieces.append(zlib.decompress(data[place:place + size]))
            place += size
        array = np.frombuffer(b"".join(pieces), "<" + kind)
        arrays[name] = array.reshape(-1, components) if components > 1 else array
    return arrays


def read_ply(path):
    """The same of a binary little-endian .ply whose faces, if any, are triangles."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    lines = data[:end].decode("ascii", "replace").splitlines()
    if "format binary_little_endian 1.0" not in lines:
        raise ValueError(f"{path}: only binary little-endian .ply files are read")
    elements = []
    for words in map(str.split, lines):
        if words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property" and words[1] == "list":
            elements[-1][2].extend([("corners", "u1"), ("indices", "<i4", 3)])
        elif words[0] == "property":
            elements[-1][2].append((words[2], "<" + PLY_TYPES[words[1]]))
    tables = {}
    for name, count, fields in elements:
        tables[name] = np.frombuffer(data, np.dtype(fields), count, end)
        end += tables[name].nbytes
    rows = tables["vertex"]
    arrays = {"Points": np.stack([rows["x"], rows["y"], rows["z"]], axis=1)}
    for name in ("id", "density", "material"):
        if name in rows.dtype.names:
            arrays[name] = rows[name]
    if "vx" in rows.dtype.names:
        arrays["velocity"] = np.stack([rows["vx"], rows["vy"], rows["vz"]], axis=1)
    if "red" in rows.dtype.names:
        display = np.stack([rows["red"], rows["green"], rows["blue"]], axis=1) / 255.0
        arrays["color"] = np.where(display <= 0.04045, display / 12.92, ((display + 0.055) / 1.055) ** 2.4).astype("f4")
    if "face" in tables:
        arrays["connectivity"] = tables["face"]["indices"].reshape(-1)
    if "edge" in tables:
        arrays["segments"] = np.stack([tables["edge"]["vertex1"], tables["edge"]["vertex2"]], axis=1)
    return arrays


def read_obj(path):
    """Vertices, triangles and segments of a body's mesh."""
    vertices, triangles, segments = [], [], []
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                vertices.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                triangles.append([int(word.split("/")[0]) - 1 for word in words[1:4]])
            elif words[:1] == ["l"]:
                segments.append([int(word) - 1 for word in words[1:3]])
    return vertices, triangles, segments


def find_series(folder, stem):
    """Paths by frame number: of .vtp files, or of .ply files where there are none; solids have .vtu files."""
    for extension in ("vtu",) if stem == "solids" else ("vtp", "ply"):
        pattern = re.compile(rf"{stem}_(\d{{6,9}})\.{extension}$")
        found = {int(match[1]): os.path.join(folder, name) for name in os.listdir(folder) if (match := pattern.match(name))}
        if len(found) > 1:
            found.pop(0, None)  # the start of the run, which its film does not show
        if found:
            return found
    return {}


def read_file(path):
    return read_ply(path) if path.endswith(".ply") else read_vtp(path)


# --- Materials ------------------------------------------------------------------------------------------------------------------

TINT_LENGTH = 0.02  # [m]: clear matter without a measured absorption shows its colour on this way / opacity


def absorption_of(look):
    """Per channel [1/m]; as the renderer of Coulis takes it."""
    return [a if a is not None else -math.log(min(max(c, 0.002), 1)) * look["opacity"] / TINT_LENGTH
            for a, c in zip(look["absorption"], look["color"])]


def set_input(node, names, value):
    for name in names:  # Blender 4 has renamed some
        if name in node.inputs:
            node.inputs[name].default_value = value
            return


def make_material(name, look):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    output = next(node for node in nodes if node.type == "OUTPUT_MATERIAL")
    is_clear = look["opacity"] < 1 and look["metalness"] == 0
    roughness = look["roughness"] if look["roughness"] is not None else 0.0 if is_clear else 0.4
    color = (1, 1, 1, 1) if is_clear else (*look["color"], 1)
    set_input(shader, ["Base Color"], color)
    set_input(shader, ["Metallic"], look["metalness"])
    set_input(shader, ["Roughness"], roughness)
    set_input(shader, ["IOR"], look["refraction"])
    set_input(shader, ["Transmission", "Transmission Weight"], 1.0 if is_clear else 0.0)
    if is_clear:
        # Cycles absorbs density * (1 - colour) in each channel.
        absorption = absorption_of(look)
        density = max(max(absorption), 1e-6)
        volume = nodes.new("ShaderNodeVolumeAbsorption")
        volume.inputs["Color"].default_value = (*(1 - a / density for a in absorption), 1)
        volume.inputs["Density"].default_value = density
        socket = volume.outputs["Volume"]
        if look["scattering"]:
            scatter, both = nodes.new("ShaderNodeVolumeScatter"), nodes.new("ShaderNodeAddShader")
            scatter.inputs["Density"].default_value = look["scattering"]
            links.new(socket, both.inputs[0])
            links.new(scatter.outputs["Volume"], both.inputs[1])
            socket = both.outputs[0]
        links.new(socket, output.inputs["Volume"])
    material.diffuse_color = (*look["color"], 1)  # of the viewport
    return material


# --- Meshes that follow the frame -----------------------------------------------------------------------------------------------

def set_attribute(mesh, name, kind, values):
    attribute = mesh.attributes.get(name)
    if attribute is None:
        attribute = mesh.attributes.new(name, kind, "POINT")
    field = "vector" if kind == "FLOAT_VECTOR" else "color" if kind == "FLOAT_COLOR" else "value"
    attribute.data.foreach_set(field, np.ascontiguousarray(values).reshape(-1))


def fill_mesh(mesh, arrays):
    """Replaces all that the mesh holds."""
    points = arrays.get("Points", np.zeros((0, 3), "f4"))
    triangles = arrays.get("connectivity") if "is_surface" in arrays else None
    segments = arrays.get("segments")
    mesh.clear_geometry()
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(points, "f4").reshape(-1))
    if triangles is not None and len(triangles) > 0:
        count = len(triangles) // 3
        mesh.loops.add(len(triangles))
        mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(triangles, "i4"))
        mesh.polygons.add(count)
        mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * count, 3, dtype="i4"))
        mesh.polygons.foreach_set("loop_total", np.full(count, 3, "i4"))
        mesh.polygons.foreach_set("use_smooth", np.ones(count, bool))
        if "material" in arrays:
            mesh.polygons.foreach_set("material_index", arrays["material"][triangles[::3]].astype("i4"))
    if segments is not None and len(segments) > 0:
        mesh.edges.add(len(segments))
        mesh.edges.foreach_set("vertices", np.ascontiguousarray(segments, "i4").reshape(-1))
    mesh.update(calc_edges=triangles is not None)
    if len(points) == 0:
        return
    if "velocity" in arrays:
        set_attribute(mesh, "velocity", "FLOAT_VECTOR", arrays["velocity"].astype("f4"))
    if "id" in arrays:  # Blender's integers are signed; the bits stay
        set_attribute(mesh, "id", "INT", arrays["id"].astype("u4").view("i4"))
    if "displacement" in arrays:
        set_attribute(mesh, "displacement", "FLOAT_VECTOR", arrays["displacement"].astype("f4"))
    if "von_mises" in arrays:
        set_attribute(mesh, "von_mises", "FLOAT", arrays["von_mises"].astype("f4"))
    if "density" in arrays:
        set_attribute(mesh, "density", "FLOAT", arrays["density"].astype("f4"))
    for name in ("age", "life"):  # of foam
        if name in arrays:
            set_attribute(mesh, name, "FLOAT", arrays[name].astype("f4"))
    if "kind" in arrays:
        set_attribute(mesh, "kind", "INT", arrays["kind"].astype("i4"))
    if "material" in arrays:
        set_attribute(mesh, "material", "INT", arrays["material"].astype("i4"))
    if "color" in arrays:
        opaque = np.ones((len(points), 1), "f4")
        set_attribute(mesh, "color", "FLOAT_COLOR", np.hstack([arrays["color"].astype("f4"), opaque]))


def cut_solid(arrays, thing):
    """The part of a solid in the points of all; its triangles are those of the mesh from the start."""
    first, count = thing["coulis_first_point"], thing["coulis_point_count"]
    part = {name: arrays[name][first:first + count] for name in ("Points", "velocity", "displacement", "von_mises")}
    if len(part["Points"]) < count:
        return {}
    return {**part, "connectivity": np.array(thing["coulis_triangles"], "i4"), "is_surface": True}


def load_frame(thing, frame):
    """Fills the object's mesh from the file of the frame; the nearest earlier one where there is none."""
    folder, kind = bpy.path.abspath(thing["coulis_folder"]), thing["coulis_kind"]
    series = find_series(folder, kind) if os.path.isdir(folder) else {}
    numbers = [number for number in series if number <= frame]
    number = max(numbers) if numbers else None
    if number == thing.get("coulis_loaded", -1) and len(thing.data.vertices) > 0:
        return
    arrays = {}
    if number is not None:
        try:
            arrays = read_file(series[number])
        except (OSError, ValueError, KeyError, IndexError, struct.error, zlib.error) as error:
            print(f"coulis: {series[number]}: {error}: the frame is left out", file=sys.stderr)
    if kind == "solids" and "Points" in arrays:
        arrays = cut_solid(arrays, thing)
    if kind == "surface":
        arrays["is_surface"] = True
        if thing["coulis_dimension"] == 2 and "connectivity" in arrays:
            arrays["segments"] = arrays.pop("connectivity").reshape(-1, 2)
    fill_mesh(thing.data, arrays)
    thing["coulis_loaded"] = number if number is not None else -1


@persistent
def coulis_follow_frame(scene, depsgraph=None):
    for thing in scene.objects:
        if "coulis_kind" in thing and thing.type == "MESH":
            load_frame(thing, scene.frame_current)


def install_handler():
    """Once, however often the script is run or loaded."""
    handlers = bpy.app.handlers.frame_change_pre
    for handler in [h for h in handlers if getattr(h, "__name__", "") == "coulis_follow_frame"]:
        handlers.remove(handler)
    handlers.append(coulis_follow_frame)


# --- Objects --------------------------------------------------------------------------------------------------------------------

def add_object(name, data, parent):
    thing = bpy.data.objects.new(name, data)
    parent.users_collection[0].objects.link(thing)
    thing.parent = parent
    return thing


def add_socket(tree, is_input):
    if hasattr(tree, "interface"):  # Blender 4
        tree.interface.new_socket("Geometry", in_out="INPUT" if is_input else "OUTPUT", socket_type="NodeSocketGeometry")
    elif is_input:
        tree.inputs.new("NodeSocketGeometry", "Geometry")
    else:
        tree.outputs.new("NodeSocketGeometry", "Geometry")


def show_as_spheres(thing, radius, material):
    """Vertices as points of the particles' radius, which Cycles draws as spheres."""
    tree = bpy.data.node_groups.new("Coulis particles", "GeometryNodeTree")
    add_socket(tree, True)
    add_socket(tree, False)
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    points, paint = tree.nodes.new("GeometryNodeMeshToPoints"), tree.nodes.new("GeometryNodeSetMaterial")
    points.inputs["Radius"].default_value = radius
    paint.inputs["Material"].default_value = material
    tree.links.new(start.outputs[0], points.inputs["Mesh"])
    tree.links.new(points.outputs[0], paint.inputs["Geometry"])
    tree.links.new(paint.outputs[0], end.inputs[0])
    thing.modifiers.new("Coulis particles", "NODES").node_group = tree


def add_series(folder, kind, stage, parent, materials):
    if not find_series(folder, kind):
        return None
    mesh = bpy.data.meshes.new(f"Coulis {kind}")
    for material in materials:
        mesh.materials.append(material)
    thing = add_object(mesh.name, mesh, parent)
    thing["coulis_kind"] = kind
    thing["coulis_folder"] = folder
    thing["coulis_dimension"] = stage["dimension"]
    if kind == "particles" and materials:
        show_as_spheres(thing, 0.5 * stage["spacing"], materials[0])
    if kind == "foam" and materials:
        show_as_spheres(thing, 0.1 * stage["spacing"], materials[0])
    return thing


FOAM = {"color": (0.9, 0.9, 0.9), "opacity": 1, "metalness": 0, "roughness": 1.0, "refraction": 1.33, "scattering": 0}


def set_curve(action, path, index, frames, values, interpolation="LINEAR"):
    curve = action.fcurves.new(path, index=index)
    curve.keyframe_points.add(len(frames))
    curve.keyframe_points.foreach_set("co", np.stack([frames, values], axis=1).astype("f4").reshape(-1))
    for point in curve.keyframe_points:
        point.interpolation = interpolation
    curve.update()


def animate_body(thing, rows, frames, all_frames):
    """Keyframes of place, turn and, where the body is not there all the time, of visibility."""
    places = rows[:, 0:3]
    turns = rows[:, [6, 3, 4, 5]].copy()  # w first
    for i in range(1, len(turns)):  # the shorter way round
        if np.dot(turns[i - 1], turns[i]) < 0:
            turns[i] = -turns[i]
    thing.rotation_mode = "QUATERNION"
    thing.location, thing.rotation_quaternion = places[0], turns[0]
    thing.animation_data_create().action = action = bpy.data.actions.new(thing.name)
    if np.ptp(rows[:, 0:7], axis=0).max() > 0:
        for axis in range(3):
            set_curve(action, "location", axis, frames, places[:, axis])
        for axis in range(4):
            set_curve(action, "rotation_quaternion", axis, frames, turns[:, axis])
    is_hidden = np.array([frame not in set(frames) for frame in all_frames], "f4")
    if is_hidden.any():
        for path in ("hide_render", "hide_viewport"):
            set_curve(action, path, 0, np.array(all_frames), is_hidden, "CONSTANT")


def read_bodies(folder):
    """Rows of bodies.csv by frame: lists of (name, 13 numbers)."""
    path, frames = os.path.join(folder, "bodies.csv"), {}
    if os.path.exists(path):
        with open(path, newline="", encoding="utf-8", errors="replace") as file:
            for row in list(csv.reader(file))[1:]:
                if len(row) == 16:
                    frames.setdefault(int(row[0]), []).append((row[2], [float(value) for value in row[3:]]))
    return frames


def add_bodies(folder, stage, parent):
    frames = read_bodies(folder)
    things = []
    for number, body in enumerate(stage["bodies"]):
        path = os.path.join(folder, body["mesh"]) if body["mesh"] else None
        if path is None or not os.path.exists(path):
            continue
        # A name may come back with another body, which then has the later first frame.
        later = [b["first_frame"] for b in stage["bodies"][number + 1:] if b["name"] == body["name"]]
        mine = {frame: values for frame, rows in frames.items() for name, values in rows
                if name == body["name"] and frame >= body["first_frame"] and (not later or frame < min(later))}
        mesh = bpy.data.meshes.new(body["name"])
        vertices, triangles, segments = read_obj(path)
        mesh.from_pydata(vertices, segments, triangles)
        mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), bool))
        if hasattr(mesh, "use_auto_smooth"):  # until Blender 4.0
            mesh.use_auto_smooth, mesh.auto_smooth_angle = True, math.radians(40)
        mesh.materials.append(make_material(body["name"], body))
        thing = add_object(body["name"], mesh, parent)
        thing["coulis_body"] = body["name"]
        if mine:
            numbers = sorted(mine)
            animate_body(thing, np.array([mine[n] for n in numbers]), numbers, sorted(frames))
        things.append(thing)
    return things


def add_solids(folder, stage, parent):
    """Deformable solids: meshes whose points are read with every frame, with the attributes von_mises [Pa] and displacement [m]."""
    for solid in stage.get("solids", []):
        path = os.path.join(folder, solid["mesh"]) if solid["mesh"] else None
        if path is None or not os.path.exists(path):
            continue
        vertices, triangles, segments = read_obj(path)
        mesh = bpy.data.meshes.new(solid["name"])
        mesh.from_pydata(vertices, segments, triangles)
        mesh.materials.append(make_material(solid["name"], solid))
        thing = add_object(solid["name"], mesh, parent)
        thing["coulis_kind"] = "solids"
        thing["coulis_folder"] = folder
        thing["coulis_first_point"] = solid["first_point"]
        thing["coulis_point_count"] = solid["point_count"]
        thing["coulis_triangles"] = [corner for triangle in triangles for corner in triangle]


def add_camera(stage, parent, scene):
    cameras = stage["cameras"]
    if not cameras:
        return None
    data = bpy.data.cameras.new("Coulis camera")
    thing = add_object(data.name, data, parent)
    thing.rotation_mode = "QUATERNION"
    data.sensor_fit, data.clip_start, data.clip_end = "VERTICAL", 0.001, 10000
    for camera in cameras:
        start, way = Vector(camera["from"]), Vector(camera["to"]) - Vector(camera["from"])
        up = Vector((0, 1, 0)) if abs(way.normalized().y) < 0.9999 else Vector((0, 0, -1))
        back = -way.normalized()
        right = up.cross(back).normalized()
        thing.location = start
        thing.rotation_quaternion = Matrix((right, back.cross(right), back)).transposed().to_quaternion()
        data.angle = math.radians(camera["fov"])
        data.dof.use_dof = data.dof.use_dof or camera["aperture"] > 0
        data.dof.focus_distance = camera["focus"] or way.length
        data.dof.aperture_fstop = 0.001 * data.lens / camera["aperture"] if camera["aperture"] > 0 else 1000
        if len(cameras) > 1:
            frame = camera["time"] * stage["fps"]
            thing.keyframe_insert("location", frame=frame)
            thing.keyframe_insert("rotation_quaternion", frame=frame)
            data.keyframe_insert("lens", frame=frame)
            data.keyframe_insert("dof.focus_distance", frame=frame)
            data.keyframe_insert("dof.aperture_fstop", frame=frame)
    scene.camera = thing
    return thing


def add_light(parent):
    """A sun and a sky, where the scene has no light at all."""
    if any(thing.type == "LIGHT" for thing in bpy.context.scene.objects):
        return
    sun = bpy.data.lights.new("Coulis sun", "SUN")
    sun.energy, sun.angle = 2.0, math.radians(5)
    thing = add_object(sun.name, sun, parent)
    thing.rotation_euler = (math.radians(-50), math.radians(20), 0)
    world = bpy.context.scene.world or bpy.data.worlds.new("World")
    bpy.context.scene.world = world
    world.use_nodes = True
    background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    background.inputs["Color"].default_value = (0.6, 0.75, 1.0, 1)
    background.inputs["Strength"].default_value = 0.4


def keep_script(path):
    """The handler goes into the .blend, to run when that is opened."""
    name = "coulis_import.py"
    if name in bpy.data.texts or not os.path.exists(path):
        return
    text = bpy.data.texts.new(name)
    with open(path, encoding="utf-8") as file:
        text.write(file.read())
    text.use_module = True


def set_time(scene, stage, frames):
    fps = stage["fps"]
    scene.render.fps = max(1, round(fps))
    scene.render.fps_base = scene.render.fps / fps
    if frames:
        scene.frame_start, scene.frame_end = min(frames), max(frames)


LOOK_KEYS = ("color", "opacity", "absorption", "scattering", "refraction", "roughness", "metalness")


def change_look(stage, path):
    """Takes looks and cameras from another file of the kind of stage.json, which may have a part of it: what it leaves out stays."""
    with open(path, encoding="utf-8") as file:
        look = json.load(file)
    if not isinstance(look, dict) or not any(key in look for key in ("materials", "bodies", "cameras")):
        raise ValueError(f"{path}: has neither materials nor bodies nor cameras")
    for group in ("materials", "bodies"):
        known = {thing["name"]: thing for thing in stage[group]}
        for thing in look.get(group, []):
            if thing.get("name") not in known:
                raise ValueError(f"{path}: the run has no '{thing.get('name')}' among its {group}: {', '.join(known)}")
            known[thing["name"]].update({key: thing[key] for key in LOOK_KEYS if key in thing})
    if look.get("cameras"):
        stage["cameras"] = look["cameras"]


def load_run(folder, scene=None, look=None):
    """Loads the run into the scene, with the looks of another file if one is given; returns the empty that holds all of it."""
    scene = scene or bpy.context.scene
    folder = os.path.abspath(folder)
    with open(os.path.join(folder, "stage.json"), encoding="utf-8") as file:
        stage = json.load(file)
    if look:
        change_look(stage, look)
    collection = bpy.data.collections.new("Coulis")
    scene.collection.children.link(collection)
    root = bpy.data.objects.new("Coulis", None)
    root.rotation_euler = (math.pi / 2, 0, 0)  # y up becomes z up
    collection.objects.link(root)
    materials = []
    for material in stage["materials"]:
        look = dict(material)
        if look["roughness"] is None and look["opacity"] >= 1:
            look["roughness"] = 0.3
        materials.append(make_material(material["name"], look))
    particles = add_series(folder, "particles", stage, root, materials)
    surface = add_series(folder, "surface", stage, root, materials)
    if find_series(folder, "foam"):
        add_series(folder, "foam", stage, root, [make_material("Coulis foam", FOAM)])
    if particles and surface:  # the surface is what is to be seen
        particles.hide_render = particles.hide_viewport = True
    add_bodies(folder, stage, root)
    add_solids(folder, stage, root)
    add_camera(stage, root, scene)
    add_light(root)
    frames = set(read_bodies(folder)).union(*(find_series(folder, stem) for stem in ("particles", "surface", "solids")))
    set_time(scene, stage, frames)
    install_handler()
    keep_script(globals().get("__file__", ""))
    scene.frame_set(scene.frame_start)
    return root


# --- The user's side ------------------------------------------------------------------------------------------------------------

class COULIS_OT_import(bpy.types.Operator):
    """Load a run of Coulis: choose the stage.json in its folder"""

    bl_idname = "import_scene.coulis"
    bl_label = "Coulis run (stage.json)"
    filepath: bpy.props.StringProperty(subtype="FILE_PATH")
    filter_glob: bpy.props.StringProperty(default="stage.json", options={"HIDDEN"})

    def execute(self, context):
        try:
            load_run(os.path.dirname(self.filepath), context.scene)
        except (OSError, ValueError, KeyError) as error:
            self.report({"ERROR"}, f"no run of Coulis: {error}")
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


def draw_menu(menu, context):
    menu.layout.operator(COULIS_OT_import.bl_idname)


def register():
    bpy.utils.register_class(COULIS_OT_import)
    bpy.types.TOPBAR_MT_file_import.append(draw_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(draw_menu)
    bpy.utils.unregister_class(COULIS_OT_import)


def read_size(text):
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if not found or min(map(int, found.groups())) < 16:
        raise ValueError(f"--size: '{text}' is not WIDTHxHEIGHT of numbers from 16 on, e.g. 1280x720")
    return tuple(map(int, found.groups()))


def read_frames(text):
    """First and last of "12" or "1-30"."""
    found = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", text)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if last < first:
        raise ValueError(f"--frames: '{text}' is not a number or a range, e.g. 1-30")
    return first, last


def set_up_pictures(scene, samples, size, frames):
    """How the scene is rendered, now or by whoever opens the .blend: Cycles, samples, size, motion blur, frames (None: all)."""
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    try:
        import _cycles
        scene.cycles.use_denoising = bool(_cycles.with_openimagedenoise)  # Debian's Blender is built without
    except (ImportError, AttributeError):
        scene.cycles.use_denoising = False
    scene.render.use_motion_blur = True
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    if frames:
        if frames[0] > scene.frame_end or frames[1] < scene.frame_start:
            raise ValueError(f"--frames: the run has frames {scene.frame_start} to {scene.frame_end}")
        scene.frame_start, scene.frame_end = max(frames[0], scene.frame_start), min(frames[1], scene.frame_end)
        scene.frame_set(scene.frame_start)


def load_and_set_up(options):
    if not os.path.exists(os.path.join(options.folder, "stage.json")):
        raise ValueError(f"{options.folder} holds no stage.json: not the folder of a run")
    if options.samples < 1:
        raise ValueError(f"--samples: {options.samples} is less than 1")
    size, frames = read_size(options.size), read_frames(options.frames) if options.frames else None
    if not options.keep:
        for thing in list(bpy.context.scene.objects):
            bpy.data.objects.remove(thing)
    root, scene = load_run(options.folder, look=options.look), bpy.context.scene
    set_up_pictures(scene, options.samples, size, frames)
    scene.render.filepath = os.path.join(os.path.abspath(options.render or options.folder), "blender_")
    return root, scene


def main(arguments):
    import argparse

    parser = argparse.ArgumentParser(prog="coulis_import.py", description="loads a run of Coulis into Blender")
    parser.add_argument("folder", help="folder of the run")
    parser.add_argument("--save", metavar="FILE", help="write the scene as a .blend, ready to render")
    parser.add_argument("--render", metavar="DIR", nargs="?", const="", help="render the frames with Cycles (default: into the run's folder)")
    parser.add_argument("--samples", type=int, default=64, help="of each pixel")
    parser.add_argument("--size", metavar="WxH", default="1280x720", help="of the pictures")
    parser.add_argument("--frames", metavar="A-B", help="which (default: all)")
    parser.add_argument("--look", metavar="FILE", help="looks and camera of another stage.json, or of a part of one, instead of the run's")
    parser.add_argument("--keep", action="store_true", help="keep what the scene holds (default: only the run)")
    options = parser.parse_args(arguments)
    try:
        root, scene = load_and_set_up(options)
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"coulis: {error}")
    if options.save:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(options.save))
    if options.render is not None:
        bpy.ops.render.render(animation=True)
    print(f"coulis: loaded {options.folder}: {len(root.children)} objects, frames {scene.frame_start} to {scene.frame_end}")


# Started by --python it is a file; as the text that a .blend runs when it is opened, or from the text editor, it is none.
if __name__ == "__main__" and os.path.isfile(globals().get("__file__", "")) and "--" in sys.argv:
    main(sys.argv[sys.argv.index("--") + 1:])
else:
    install_handler()
    if __name__ == "__main__" and not hasattr(bpy.types, "IMPORT_SCENE_OT_coulis"):
        register()
