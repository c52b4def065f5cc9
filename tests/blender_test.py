"""Inside Blender, after coulis_import.py has loaded the run of tests/data/exchange.lua: -- RUN [--save FILE]

Every number is compared with the run's own files, read here by other means than in the script. An error ends Blender with code 1.
"""
import csv
import json
import math
import os
import subprocess
import sys

import bpy
import numpy as np
from mathutils import Quaternion, Vector

folder = sys.argv[sys.argv.index("--") + 1]
scene = bpy.context.scene

# Debian's VTK lives in Debian's Python, not always in Blender's.
READ = """
import sys, json
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLUnstructuredGridReader
reader = vtkXMLUnstructuredGridReader() if sys.argv[1].endswith("vtu") else vtkXMLPolyDataReader()
reader.SetFileName(sys.argv[1])
reader.Update()
data = reader.GetOutput()
arrays = {name: memoryview(data.GetPointData().GetArray(name)).tolist() for name in ("velocity", "id", "material", "von_mises")
          if data.GetPointData().HasArray(name)}
arrays["points"] = memoryview(data.GetPoints().GetData()).tolist()
if sys.argv[1].endswith("vtp") and data.GetNumberOfPolys():
    arrays["triangles"] = memoryview(data.GetPolys().GetConnectivityArray()).tolist()
print(json.dumps(arrays))
"""


def read_vtk(name):
    command = ["/usr/bin/python3", "-c", READ, os.path.join(folder, name)]
    result = subprocess.run(command, capture_output=True, text=True, check=True,
                            env={"PATH": "/usr/bin:/bin"})
    return json.loads(result.stdout)


def values(data, field, width):
    numbers = np.zeros(len(data) * width, "f4")
    data.foreach_get(field, numbers)
    return numbers.reshape(-1, width)


def expect(is_ok, what):
    if not is_ok:
        raise AssertionError(what)


with open(os.path.join(folder, "stage.json"), encoding="utf-8") as file:
    stage = json.load(file)
with open(os.path.join(folder, "bodies.csv"), newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))

expect((scene.frame_start, scene.frame_end) == (1, 6), f"frames {scene.frame_start} to {scene.frame_end}")
expect(abs(scene.render.fps / scene.render.fps_base - 30) < 1e-6, "frames per second")
particles, surface = bpy.data.objects["Coulis particles"], bpy.data.objects["Coulis surface"]
counts = set()
for frame in (5, 2):
    scene.frame_set(frame)
    wanted = read_vtk(f"particles_{frame:06d}.vtp")
    mesh = particles.data
    expect(len(mesh.vertices) == len(wanted["points"]) > 100, f"{len(mesh.vertices)} particles at frame {frame}")
    expect(np.array_equal(values(mesh.vertices, "co", 3), np.array(wanted["points"], "f4")), f"positions at frame {frame}")
    velocity = values(mesh.attributes["velocity"].data, "vector", 3)
    expect(np.array_equal(velocity, np.array(wanted["velocity"], "f4")), "velocities")
    expect([item.value for item in mesh.attributes["id"].data] == wanted["id"], "ids")

    wanted = read_vtk(f"surface_{frame:06d}.vtp")
    mesh = surface.data
    counts.add(len(mesh.polygons))
    expect(len(mesh.polygons) == len(wanted["triangles"]) // 3 > 100, f"{len(mesh.polygons)} triangles at frame {frame}")
    expect(np.array_equal(values(mesh.vertices, "co", 3), np.array(wanted["points"], "f4")), f"surface at frame {frame}")
    corners = np.zeros(len(mesh.loops), "i4")
    mesh.loops.foreach_get("vertex_index", corners)
    expect(corners.tolist() == wanted["triangles"], "triangles")
    velocity = values(mesh.attributes["velocity"].data, "vector", 3)
    expect(np.array_equal(velocity, np.array(wanted["velocity"], "f4")), "surface's velocities")
    used = {polygon.material_index for polygon in mesh.polygons}
    expect(len(mesh.materials) == 2 and used == {0, 1}, "materials of the surface")
    place = surface.matrix_world @ mesh.vertices[0].co  # z is up
    expect((place - Vector((wanted["points"][0][0], -wanted["points"][0][2], wanted["points"][0][1]))).length < 1e-5, "axes")
    expect(not mesh.validate(verbose=True), "Blender had to repair the surface")

    wanted = read_vtk(f"solids_{frame:06d}.vtu")
    expect(len(stage["solids"]) == 2, "two solids")
    for solid in stage["solids"]:
        mesh, first, count = bpy.data.objects[solid["name"]].data, solid["first_point"], solid["point_count"]
        part = {name: np.array(rows[first:first + count], "f4") for name, rows in wanted.items()}
        expect(np.array_equal(values(mesh.vertices, "co", 3), part["points"]), f"points of {solid['name']} at frame {frame}")
        expect(np.array_equal(values(mesh.attributes["velocity"].data, "vector", 3), part["velocity"]), "velocities of a solid")
        expect(np.array_equal(values(mesh.attributes["von_mises"].data, "value", 1)[:, 0], part["von_mises"]), "von_mises")
        expect(len(mesh.polygons) > 40 and not mesh.validate(verbose=True), f"triangles of {solid['name']}")

    there = {row["name"]: row for row in rows if int(row["frame"]) == frame}
    expect(("guest" in there) == (frame == 2), "the story of the guest")
    for body in stage["bodies"]:
        thing = bpy.data.objects[body["name"]]
        expect(thing.hide_render == (body["name"] not in there), f"{body['name']} is hidden or not at frame {frame}")
        if body["name"] not in there:
            continue
        row = {key: value if key == "name" else float(value) for key, value in there[body["name"]].items()}
        turn = Quaternion((row["qw"], row["qx"], row["qy"], row["qz"]))
        expect((thing.location - Vector((row["x"], row["y"], row["z"]))).length < 1e-5, f"place of {body['name']} at {frame}")
        expect(thing.rotation_quaternion.rotation_difference(turn).angle < 1e-4 or
               thing.rotation_quaternion.rotation_difference(-turn).angle < 1e-4, f"turn of {body['name']} at {frame}")
        with open(os.path.join(folder, body["mesh"]), encoding="ascii") as file:
            lines = [line.split() for line in file]
        expect(len(thing.data.vertices) == sum(words[0] == "v" for words in lines), f"vertices of {body['name']}")
        expect(len(thing.data.polygons) == sum(words[0] == "f" for words in lines) > 0, f"triangles of {body['name']}")
# Between frames a body is on its way.
scene.frame_set(2, subframe=0.5)
paddle = [row for row in rows if row["name"] == "paddle"]
expect(abs(bpy.data.objects["paddle"].location.y - 0.5 * (float(paddle[1]["y"]) + float(paddle[2]["y"]))) < 1e-5, "half a frame")

# Looks: honey and glass let light through, with their index; the paddle is paint.
for name, look in [(m["name"], m) for m in stage["materials"]] + [(b["name"], b) for b in stage["bodies"] + stage["solids"]]:
    nodes = bpy.data.materials[name].node_tree.nodes
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    socket = shader.inputs.get("Transmission") or shader.inputs["Transmission Weight"]
    expect(socket.default_value == (1 if look["opacity"] < 1 else 0), f"transmission of {name}")
    expect(abs(shader.inputs["IOR"].default_value - look["refraction"]) < 1e-5, f"refraction of {name}")
    volumes = [node for node in nodes if node.type == "VOLUME_ABSORPTION"]
    expect(len(volumes) == (look["opacity"] < 1), f"absorption of {name}")
    for node in volumes:
        if None in look["absorption"]:
            continue
        got = [node.inputs["Density"].default_value * (1 - c) for c in node.inputs["Color"].default_value[:3]]
        error = max(abs(a - b) for a, b in zip(got, look["absorption"]))
        expect(error < 1e-3 * max(look["absorption"]), f"absorption of {name}: {got}")

camera, views = scene.camera, stage["cameras"]
expect(len(views) == 6 and views[0]["from"] != views[5]["from"], "the camera moves")
expect(abs(camera.data.angle - math.radians(views[0]["fov"])) < 1e-5 and camera.data.sensor_fit == "VERTICAL", "field of view")
expect(camera.data.dof.use_dof and abs(0.001 * camera.data.lens / camera.data.dof.aperture_fstop - 0.01) < 1e-6, "aperture")
for frame in (1, 4):
    scene.frame_set(frame)
    view = views[frame - 1]
    way = (camera.matrix_world.to_quaternion() @ Vector((0, 0, -1))).normalized()
    wanted = Vector([t - f for f, t in zip(view["from"], view["to"])])
    expect(abs(camera.data.dof.focus_distance - wanted.length) < 1e-4, "focus")
    wanted.normalize()
    expect((way - Vector((wanted.x, -wanted.z, wanted.y))).length < 1e-4, f"the camera looks along {way} at frame {frame}")

# The particles become points that Cycles draws, of the particles' radius.
particles.hide_viewport = False
scene.frame_set(3)
evaluated = particles.evaluated_get(bpy.context.evaluated_depsgraph_get())
modifier = next(m for m in particles.modifiers if m.type == "NODES")
to_points = next(node for node in modifier.node_group.nodes if node.bl_idname == "GeometryNodeMeshToPoints")
radius = to_points.inputs["Radius"].default_value
expect(abs(radius - 0.5 * stage["spacing"]) < 1e-7 and evaluated is not None, "radius of the points")
print("coulis test: all as in the run's files")
