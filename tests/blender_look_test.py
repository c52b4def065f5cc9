"""Inside Blender, with the file that coulis_import.py saved of the run of tests/data/exchange.lua: -- RUN

It was saved with --samples 7 --size 320x180 --frames 2-4 --look blender_look.json, and is to be found so. An error ends Blender
with code 1.
"""
import os
import struct
import sys

import bpy

folder = sys.argv[sys.argv.index("--") + 1]
scene = bpy.context.scene


def expect(is_ok, what):
    if not is_ok:
        raise AssertionError(what)


expect(scene.render.engine == "CYCLES", scene.render.engine)
expect(scene.cycles.samples == 7, f"{scene.cycles.samples} samples")
expect((scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage) == (320, 180, 100), "size")
expect((scene.frame_start, scene.frame_end) == (2, 4), f"frames {scene.frame_start} to {scene.frame_end}")
expect(scene.render.use_motion_blur, "motion blur")

# Honey has become green paint, the paddle clear; what the file does not name is as it was.
shader = {name: next(node for node in bpy.data.materials[name].node_tree.nodes if node.type == "BSDF_PRINCIPLED")
          for name in ("honey", "paddle")}
color = tuple(shader["honey"].inputs["Base Color"].default_value)[:3]
expect(max(abs(a - b) for a, b in zip(color, (0.1, 0.6, 0.2))) < 1e-6, f"colour {color}")
for name, transmission in (("honey", 0), ("paddle", 1)):
    socket = shader[name].inputs.get("Transmission") or shader[name].inputs["Transmission Weight"]
    expect(socket.default_value == transmission, f"transmission of {name}")

# Foam follows the frame.
foam = bpy.data.objects["Coulis foam"]
for frame in (4, 3):
    scene.frame_set(frame)
    with open(os.path.join(folder, f"foam_{frame:06d}.ply"), "rb") as file:
        data = file.read()
    start = data.index(b"end_header\n") + len(b"end_header\n")
    rows = [struct.unpack_from("<8fIB", data, start + 37 * k) for k in range((len(data) - start) // 37)]
    mesh = foam.data
    expect(len(mesh.vertices) == len(rows) > 10, f"{len(mesh.vertices)} particles of foam at {frame}, {len(rows)} in the file")
    expect(all(tuple(v.co) == row[0:3] for v, row in zip(mesh.vertices, rows)), "places")
    expect(all(item.value == row[9] for item, row in zip(mesh.attributes["kind"].data, rows)), "kinds")
    expect(all(item.value == row[7] for item, row in zip(mesh.attributes["life"].data, rows)), "lives")
print("coulis test: looks as it was asked to")
