#!/usr/bin/env python3
"""The server of `coulis view` against a viewer written in Python: what the hands do, who may come in, and what happens to those
who send rubbish. The page itself is tested in a browser (web/tests).

usage: viewer_test.py COULIS FOLDER [TEST...]
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

import viewer_client as vc
from viewer_client import Refused, Server, Viewer, get, text

POOL = """
scene { title = "A pool", dimension = 2, spacing = 0.02, duration = 10, fps = 30, depth = 0.3, speed = 3 }
body { name = "tank", shape = shell { box { size = { 0.8, 0.8 } }, thickness = 0.1, open = true }, at = { 0, 0.4 } }
body { name = "cork", shape = box { size = { 0.1, 0.1 } }, at = { 0.2, 0.5 }, density = 300 }
fluid { material = "water", shape = box { size = { 0.8, 0.3 } }, at = { 0, 0.15 } }
"""
CUBE = """
scene { title = "A block", spacing = 0.05, duration = 10, fps = 30, depth = 0.4, speed = 3 }
body { name = "ground", shape = plane {} }
body { name = "mould", shape = shell { box { size = { 0.4, 0.4, 0.4 } }, thickness = 0.1, open = true }, at = { 0, 0.3, 0 } }
fluid { material = material("matter", { base = "jelly", shear_modulus = 5000, flow_stretch = 20, flow_compress = 20 }),
    shape = box { size = { 0.4, 0.4, 0.4 } }, at = { 0, 0.3, 0 } }
"""

JELLY = """
scene { title = "Jelly", spacing = 0.02, duration = 10, fps = 30 }
body { name = "ground", shape = plane {} }
solid { name = "jelly", shape = box { size = { 0.1, 0.1, 0.1 } }, cells = { 3, 3, 3 }, at = { 0, 0.06, 0 }, young = 20000,
    damping = 0.005, color = { 0.8, 0.2, 0.1 } }
solid { name = "bar", shape = box { size = { 0.2, 0.04, 0.04 } }, cells = { 5, 1, 1 }, at = { 0.4, 0.2, 0 }, young = 50000,
    damping = 0.005, color_by = "stress", fixed = box { size = { 0.02, 0.1, 0.1 } }:at { 0.31, 0.2, 0 } }
"""

FLOAT = struct.Struct("<f").pack


def vec(*numbers):
    return struct.pack("<3f", *numbers)


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def pour(is_on, x=0.0, y=0.6):
    return struct.pack("<BB", is_on, 0) + vec(x, y, 0) + vec(0, -1, 0) + FLOAT(1) + FLOAT(0.05)


# --- What viewers see and do ---

def test_a_scene_is_told_and_runs(server):
    viewer = Viewer(server.port)
    first = viewer.next_frame()
    check(viewer.scene["protocol"] == 1 and viewer.scene["title"] == "A pool" and viewer.scene["dimension"] == 2, viewer.scene)
    names = {param["name"] for group in viewer.scene["groups"] for param in group["params"]}
    check({"viscosity", "gravity", "height_error"} <= names, names)
    check(len(viewer.meshes) == 2 and first.count > 300, (len(viewer.meshes), first.count))
    while viewer.frame.time < first.time + 0.3:
        viewer.next_frame()
    check(viewer.frame.steps > first.steps, "steps")
    viewer.close()


def test_pause_step_and_reset(server):
    viewer = Viewer(server.port)
    viewer.do(vc.RESET)
    viewer.do(vc.PLAY, b"\0")
    viewer.do(vc.RESET)
    first = viewer.hash()
    check(viewer.hash() == first, "a paused world does not change")
    viewer.do(vc.STEP, struct.pack("<H", 3))
    viewer.until(lambda: viewer.frame and abs(viewer.frame.time - 0.1) < 1e-9, "three ticks")
    third = viewer.hash()
    check(third != first, "a step changes the state")
    viewer.do(vc.RESET)
    check(viewer.hash() == first, "reset restores the start")
    viewer.do(vc.STEP, struct.pack("<H", 3))
    viewer.until(lambda: viewer.frame and abs(viewer.frame.time - 0.1) < 1e-9, "three ticks")
    check(viewer.hash() == third, "the same three ticks give the same bits")
    viewer.do(vc.PLAY, b"\1")
    viewer.close()


def test_untouched_it_is_a_run(server, coulis, folder):
    viewer = Viewer(server.port)
    viewer.do(vc.PLAY, b"\0")
    viewer.do(vc.RESET)
    viewer.do(vc.STEP, struct.pack("<H", 4))
    viewer.until(lambda: viewer.frame and viewer.frame.frame == 4, "four frames")
    out = os.path.join(folder, "run")
    subprocess.run([coulis, "run", os.path.join(folder, "pool.lua"), "--frames", "4", "--out", out, "--export", "none", "--quiet",
                    "--threads", "2"], check=True)
    with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
        expected = json.load(file)["state_hash"]
    check(viewer.hash() == expected, f"{viewer.hash()} is not {expected}")
    viewer.do(vc.PLAY, b"\1")
    viewer.close()


def test_hands(server):
    viewer = Viewer(server.port)
    viewer.do(vc.RESET)
    count = viewer.next_frame().count
    viewer.send(vc.POUR, pour(1))
    viewer.until(lambda: viewer.frame and viewer.frame.count > count + 20, "poured particles")
    viewer.send(vc.POUR, pour(0))
    viewer.do(vc.PLAY, b"\0")
    viewer.next_frame()
    count = viewer.frame.count
    answer = viewer.do(vc.CUT, vec(-1, -1, -1) + vec(0, 2, 1))
    viewer.until(lambda: viewer.frame and viewer.frame.count < count, "cut particles")
    check(answer.startswith(str(count - viewer.frame.count) + " "), answer)
    viewer.do(vc.UNDO)
    viewer.until(lambda: viewer.frame and viewer.frame.count == count, "the cut undone")

    bodies = len(viewer.frame.bodies)
    points = [(-0.1, -0.05), (0.1, -0.05), (0, 0.1)]
    viewer.do(vc.DROP, struct.pack("<BB", 2, 0) + vec(-0.2, 0.7, 0) + FLOAT(0.2) + FLOAT(500) + bytes([3]) +
              b"".join(struct.pack("<ff", *p) for p in points))
    viewer.until(lambda: viewer.frame and len(viewer.frame.bodies) == bodies + 1, "a body")
    check(len(viewer.meshes) == 3, "its mesh")
    viewer.do(vc.UNDO)
    viewer.until(lambda: viewer.frame and len(viewer.frame.bodies) == bodies, "the body undone")
    viewer.do(vc.DROP, struct.pack("<BB", 0, 1) + vec(0, 0.65, 0) + FLOAT(0.1) + FLOAT(1000) + b"\0")
    viewer.until(lambda: viewer.frame and viewer.frame.count > count, "a lump of water")
    good, answer = viewer.ask(vc.DROP, struct.pack("<BB", 0, 9) + vec(0, 0.65, 0) + FLOAT(0.1) + FLOAT(1000) + b"\0")
    check(not good and "material" in answer, answer)
    viewer.close()


def test_a_body_is_dragged(server):
    viewer = Viewer(server.port)
    viewer.do(vc.RESET)
    viewer.do(vc.PLAY, b"\1")
    cork = next(key for key, mesh in viewer.meshes.items() if mesh.endswith(b"cork"))
    drag = struct.pack("<BHH", 1, *cork) + vec(0, 0, 0) + vec(-0.25, 0.65, 0)
    viewer.send(vc.DRAG, drag)
    viewer.until(lambda: viewer.frame and cork in viewer.frame.bodies and abs(viewer.frame.bodies[cork][0] + 0.25) < 0.02 and
                 abs(viewer.frame.bodies[cork][1] - 0.65) < 0.05, "the cork at the cursor")
    viewer.send(vc.DRAG, struct.pack("<BHH", 0, *cork) + vec(0, 0, 0) + vec(0, 0, 0))
    viewer.until(lambda: viewer.frame and viewer.frame.bodies[cork][1] < 0.5, "the cork falls")
    tank = next(key for key, mesh in viewer.meshes.items() if mesh.endswith(b"tank"))
    good, answer = viewer.ask(vc.DRAG, struct.pack("<BHH", 1, *tank) + vec(0, 0, 0) + vec(0, 0, 0))
    check(not good and "fixed" in answer, answer)
    viewer.do(vc.INSPECT, b"\2" + struct.pack("<HH", *cork))
    viewer.until(lambda: viewer.inspected and viewer.inspected["kind"] == 2, "the cork in words")
    check(viewer.inspected["name"] == "cork" and abs(viewer.inspected["mass"] - 3) < 0.1, viewer.inspected)
    viewer.do(vc.INSPECT, b"\1" + vec(0, 0.1, 0))
    viewer.until(lambda: viewer.inspected["kind"] == 1 and len(viewer.inspected["arrows"]) == 2, "a particle in words")
    viewer.do(vc.INSPECT, b"\0")
    viewer.close()


def test_solids_are_shown_and_dragged(coulis, folder):
    scene = os.path.join(folder, "jelly.lua")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(JELLY)
    server = Server(coulis, scene)
    viewer = Viewer(server.port)
    viewer.next_frame()
    jelly, bar = [next(key for key, data in viewer.solids.items() if data.endswith(name)) for name in (b"jelly", b"bar")]
    count, triangles = struct.unpack_from("<II", viewer.solids[jelly], 12)
    check(count == 64 and triangles == 108, f"{count} points, {triangles} triangles")
    check(len(viewer.frame.solids[jelly]) == 64 and len(viewer.frame.solids[bar]) == 24, "points of both")
    check(viewer.frame.solids[jelly][0][3:6] == (204, 51, 26), f"the look's colour: {viewer.frame.solids[jelly][0]}")

    def middle(key):
        points = viewer.frame.solids[key]
        return [sum(p[a] for p in points) / len(points) for a in range(3)]

    def drag(key, point, target, is_on=1):
        return struct.pack("<BHHI", is_on, *key, point) + vec(*target)

    top = max(range(count), key=lambda i: viewer.frame.solids[jelly][i][1])
    viewer.send(vc.DRAG_SOLID, drag(jelly, top, (-0.2, 0.4, 0)))
    viewer.until(lambda: viewer.frame and jelly in viewer.frame.solids and abs(middle(jelly)[0] + 0.2) < 0.06 and
                 middle(jelly)[1] > 0.25, "the jelly at the cursor")
    viewer.send(vc.DRAG_SOLID, drag(jelly, top, (0, 0, 0), 0))
    viewer.until(lambda: viewer.frame and middle(jelly)[1] < 0.1, "the jelly falls")
    tip = max(range(24), key=lambda i: viewer.frame.solids[bar][i][0])
    root = min(range(24), key=lambda i: viewer.frame.solids[bar][i][0])
    viewer.send(vc.DRAG_SOLID, drag(bar, tip, (0.5, 0.4, 0)))
    viewer.until(lambda: viewer.frame and viewer.frame.solids[bar][tip][1] > 0.22, "the bar bends")
    colors = {point[3:6] for point in viewer.frame.solids[bar]}
    check(len(colors) > 3, f"stress has colours: {colors}")
    viewer.do(vc.UNDO)
    for key, point, words in ((bar, root, "holds"), (bar, 4000000000, "no such"), ((9, 9), 0, "no such")):
        good, answer = viewer.ask(vc.DRAG_SOLID, drag(key, point, (0, 0, 0)))
        check(not good and words in answer, answer)
    server.stop()


# A tick of this scene is a second: what comes of it is shown meanwhile.
def test_long_ticks_are_watched(coulis, folder):
    scene = os.path.join(folder, "slow.lua")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(POOL.replace("fps = 30", "fps = 1"))
    server = Server(coulis, scene)
    viewer = Viewer(server.port)
    viewer.until(lambda: viewer.frame and viewer.frame.time % 1 > 1e-6, "a frame within a tick")
    seen = viewer.frame
    check(int(seen.time) == seen.frame, f"{seen.time} s within frame {seen.frame}")
    viewer.until(lambda: viewer.frame.frame > seen.frame, "the end of the tick")
    server.stop()


# As the bunny of the thesis: fill the mould, add springs, remove the mould, raise plasticity, delete springs.
def test_a_casting_by_hand(coulis, folder):
    scene = os.path.join(folder, "cube.lua")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(CUBE)
    server = Server(coulis, scene)
    viewer = Viewer(server.port)
    viewer.do(vc.PACE, FLOAT(0) + b"\1")

    def wait(seconds):
        viewer.next_frame()
        end = viewer.frame.time + seconds
        viewer.until(lambda: viewer.frame.time >= end, "time")
        return viewer.frame.mean_height()

    mould = next(key for key, mesh in viewer.meshes.items() if mesh.endswith(b"mould"))
    viewer.do(vc.SPRINGS, b"\1\0")
    wait(0.2)
    viewer.do(vc.REMOVE, struct.pack("<HH", *mould))
    standing = wait(1.0)
    check(mould not in viewer.frame.bodies, "the mould is gone")
    check(standing > 0.1, f"with springs it stands, {standing} m high on average")
    viewer.do(vc.SET, b"\2" + text("springs") + text("plastic"))
    viewer.do(vc.DROP, struct.pack("<BB", 1, 0) + vec(0, 0.7, 0) + FLOAT(0.4) + FLOAT(150) + b"\0")
    squashed = wait(0.5)
    print(f"    mean heights: standing {standing:.3f}, squashed {squashed:.3f} m")
    check(squashed < 0.95 * standing, f"squashed from {standing} to {squashed}")
    viewer.do(vc.SET, b"\2" + text("springs") + text("none"))
    viewer.do(vc.SPRINGS, b"\0\0")
    flown = wait(1.5)
    check(flown < 0.8 * squashed, f"without springs it flows away: {squashed} to {flown}")
    server.stop()


def test_knobs_and_gravity(server):
    viewer = Viewer(server.port)
    viewer.do(vc.RESET)
    viewer.do(vc.PLAY, b"\1")
    viewer.do(vc.SET, b"\2" + text("viscosity") + text("50"))
    viewer.until(lambda: viewer.values.get((2, "viscosity")) == "50", "the new value")
    good, answer = viewer.ask(vc.SET, b"\2" + text("viscosity") + text("-1"))
    check(not good and "viscosity" in answer, answer)
    good, answer = viewer.ask(vc.SET, b"\2" + text("colour") + text("1"))
    check(not good, answer)
    viewer.do(vc.UNDO)
    start = next(p["start"] for p in viewer.scene["groups"][2]["params"] if p["name"] == "viscosity")
    viewer.until(lambda: viewer.values[(2, "viscosity")] == start, "the old value")
    height = viewer.next_frame().mean_height()
    check(viewer.do(vc.CONSOLE, text("world:gravity { 0, 5, 0 }")) == "{0, 5, 0}", "console")
    viewer.until(lambda: viewer.frame and viewer.frame.mean_height() > height + 0.05, "the water rises")
    viewer.send(vc.GRAVITY, vec(0, -9.81, 0))
    viewer.do(vc.SET, b"\1" + text("gravity") + text(""))
    viewer.until(lambda: viewer.values[(1, "gravity")].startswith("0, -9.81"), "gravity as it was")
    viewer.do(vc.COLOR, b"\1")
    viewer.until(lambda: viewer.frame and viewer.frame.color == 1 and viewer.frame.value_upper > 0, "speeds")
    good, answer = viewer.ask(vc.COLOR, b"\3")
    check(not good and "pvfs" in answer, answer)
    viewer.close()


def test_console(server):
    viewer = Viewer(server.port)
    check(viewer.do(vc.CONSOLE, text("1 + 1")) == "2", "1 + 1")
    good, answer = viewer.ask(vc.CONSOLE, text("world:nonsense()"))
    check(not good and "nonsense" in answer, answer)
    good, answer = viewer.ask(vc.CONSOLE, text("while true do end"))
    check(not good and "endless loop" in answer, answer)
    for line in ("io.open('/etc/passwd')", "os.execute('true')", "require 'os'"):
        good, answer = viewer.ask(vc.CONSOLE, text(line))
        check(not good, f"{line}: {answer}")
    frame = viewer.next_frame()
    viewer.until(lambda: viewer.frame and viewer.frame.time > frame.time, "the simulation goes on")
    viewer.close()


def test_another_method_keeps_the_particles(server):
    viewer = Viewer(server.port)
    viewer.do(vc.PLAY, b"\0")
    viewer.do(vc.RESET)
    viewer.do(vc.STEP, struct.pack("<H", 3))
    viewer.until(lambda: viewer.frame and abs(viewer.frame.time - 0.1) < 1e-9, "three ticks")
    before = viewer.frame
    viewer.do(vc.METHOD, text("dfsph"))
    viewer.until(lambda: viewer.scene["method"] == "dfsph", "the method")
    after = viewer.next_frame()
    check(after.count == before.count and after.time == before.time, (after.count, before.count, after.time))
    check(abs(after.mean_height() - before.mean_height()) < 1e-3, "the same places")
    viewer.do(vc.STEP, struct.pack("<H", 2))
    viewer.until(lambda: viewer.frame and viewer.frame.time > before.time + 0.06, "it runs")
    check(viewer.do(vc.COLOR, b"\3") == "", "pressure")
    viewer.do(vc.METHOD, text("pvfs"))
    viewer.do(vc.COLOR, b"\0")
    good, answer = viewer.ask(vc.METHOD, text("pvsf"))
    check(not good, answer)
    viewer.close()


def test_files(server, coulis, folder):
    viewer = Viewer(server.port)
    viewer.do(vc.RESET)
    viewer.do(vc.SET, b"\2" + text("viscosity") + text("0.25"))
    viewer.do(vc.CONSOLE, text("world:gravity { 1, -9, 0 }"))
    viewer.do(vc.EXPORT, b"\1")
    viewer.do(vc.EXPORT, b"\0")
    check(set(viewer.files) == {"pool-changed.lua", "pool.h5"}, viewer.files.keys())
    for name, data in viewer.files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    result = subprocess.run([coulis, "check", os.path.join(folder, "pool-changed.lua")], capture_output=True, text=True)
    check(result.returncode == 0, result.stderr)
    check(b'world:set("water", "viscosity", 0.25)' in viewer.files["pool-changed.lua"], viewer.files["pool-changed.lua"])
    result = subprocess.run([coulis, "info", os.path.join(folder, "pool.h5")], capture_output=True, text=True)
    check(result.returncode == 0 and "whole" in result.stdout and "world/gravity" in result.stdout, result.stderr)
    viewer.do(vc.RECORD, b"\1")
    viewer.until(lambda: viewer.status["recording"] >= 0, "recording")
    viewer.do(vc.PLAY, b"\1")
    frame = viewer.next_frame()
    viewer.until(lambda: viewer.frame and viewer.frame.time > frame.time + 0.2, "some frames")
    answer = viewer.do(vc.RECORD, b"\0")
    recorded = answer.split(" in ")[1]
    check(int(answer.split()[0]) >= 5 and os.path.exists(os.path.join(recorded, "particles_000005.vtp")), answer)
    good, answer = viewer.ask(vc.OPEN, text("../../etc/passwd"))
    check(not good and "gallery" in answer, answer)
    viewer.close()


# --- Runs ---

def test_a_run_played_back(coulis, folder):
    out = os.path.join(folder, "played")
    subprocess.run([coulis, "run", os.path.join(folder, "pool.lua"), "--frames", "6", "--out", out, "--quiet"], check=True)
    server = Server(coulis, out)
    viewer = Viewer(server.port)
    viewer.until(lambda: viewer.frame and viewer.frame.frame == 5, "the last frame")
    check(viewer.scene["source"] == "files" and viewer.scene["frames"] == 6 and len(viewer.frame.bodies) == 2, viewer.scene)
    check(abs(viewer.frame.time - 0.2) < 1e-9, viewer.frame.time)
    viewer.send(vc.SEEK, struct.pack("<I", 2))
    viewer.until(lambda: viewer.frame.frame == 2 and abs(viewer.frame.time - 0.1) < 1e-9, "frame 3")
    viewer.send(vc.SEEK, struct.pack("<I", 4000000000))
    viewer.until(lambda: viewer.frame.frame == 5, "the last again")
    good, answer = viewer.ask(vc.CONSOLE, text("1"))
    check(not good and "cannot be changed" in answer, answer)
    viewer.do(vc.PLAY, b"\1")
    viewer.send_raw(b"\x19\0\0\0\1")
    check(is_closed(viewer), "half a number was borne")
    server.stop()


def test_a_run_is_watched(coulis, folder):
    out = os.path.join(folder, "watched")
    environment = dict(os.environ, COULIS_VIEW_TOKEN=vc.TOKEN)
    process = subprocess.Popen([coulis, "run", os.path.join(folder, "pool.lua"), "--frames", "900", "--out", out, "--export",
                                "none", "--quiet", "--view"], stdout=subprocess.PIPE, text=True, env=environment)
    viewer = Viewer(int(process.stdout.readline().split(":")[2].split("/")[0]))
    viewer.until(lambda: viewer.frame and viewer.frame.frame > 3, "frames")
    check(viewer.scene["source"] == "run" and len(viewer.meshes) == 2, viewer.scene["source"])
    good, answer = viewer.ask(vc.RESET)
    check(not good and "watched" in answer, answer)
    viewer.close()
    process.terminate()
    check(process.wait(timeout=vc.LIMIT) == 1, "interrupted")
    check(os.path.exists(os.path.join(out, "checkpoint.h5")), "its checkpoint")


def test_snapshot(coulis, folder):
    path = os.path.join(folder, "snapshot.png")
    subprocess.run([coulis, "view", os.path.join(folder, "pool.lua"), "--snapshot", path, "--seconds", "0.1", "--size", "64x48"],
                   check=True, timeout=vc.LIMIT)
    with open(path, "rb") as file:
        check(file.read(8) == b"\x89PNG\r\n\x1a\n", "a picture")


def test_one_holds_the_controls(server):
    first, second = Viewer(server.port), Viewer(server.port)
    first.until(lambda: first.status and first.status["holder"], "the first holds the controls")
    second.until(lambda: second.status and second.status["viewers"] == 2, "the second is there")
    check(not second.status["holder"], "the second watches")
    good, answer = second.ask(vc.PLAY, b"\0")
    check(not good and "controls" in answer, answer)
    check(not second.ask(vc.CONTROLS, b"\1")[0], "not while they are held")
    check(len(second.hash()) == 16, "who watches may look")
    second.next_frame()
    first.do(vc.CONTROLS, b"\0")
    second.do(vc.CONTROLS, b"\1")
    check(not first.ask(vc.PLAY, b"\0")[0], "they have changed hands")
    second.close()
    first.until(lambda: first.status["holder"], "who is left gets them")
    first.close()


# --- Who may come in, and rubbish ---

def test_token_and_origin(server):
    port = server.port
    for path in ("/", "/viewer.js", "/index.html", "/nothing", "/?token=", "/?token=wrong", f"/?token={vc.TOKEN}x",
                 "/?token=" + "x" * 4000, f"/?nekot={vc.TOKEN}", f"/{vc.TOKEN}"):
        status = get(port, path)[0]
        check(status in (403, 414, 431), f"{path[:60]}: {status}")
    status, page = get(port, f"/?token={vc.TOKEN}")
    check(status == 200 and "content-security-policy" in page and f"viewer.js?token={vc.TOKEN}" in page, page[:600])
    check(get(port, f"/viewer.js?token={vc.TOKEN}")[0] == 200, "the page's script")
    check(get(port, f"/thumbs/drop-2d.jpg?token={vc.TOKEN}")[0] == 200, "a picture of the gallery")
    check(get(port, "/thumbs/drop-2d.jpg")[0] == 403, "not without the token")
    for name in ("../viewer-2d", "..%2fviewer-2d", ""):
        check(get(port, f"/thumbs/{name}.jpg?token={vc.TOKEN}")[0] in (403, 404), name)
    check(get(port, f"/../../etc/passwd?token={vc.TOKEN}")[0] in (403, 404), "no other files")
    for arguments in ({"token": ""}, {"token": "wrong"}, {"origin": "http://evil.example"}, {"origin": "null"},
                      {"origin": f"https://127.0.0.1:{port}"}, {"origin": f"http://127.0.0.1:{port}.evil.example"}):
        try:
            Viewer(port, **arguments)
        except Refused as refused:
            check(refused.args[0] == 403, refused)
        else:
            raise AssertionError(f"{arguments} got in")
    Viewer(port, origin=f"http://127.0.0.1:{port}").close()


def is_closed(viewer):
    try:
        while True:
            viewer.receive()
    except (ConnectionError, OSError):
        viewer.close()
        return True


def test_oversized_and_malformed(server):
    watcher = Viewer(server.port)
    watcher.do(vc.PLAY, b"\1")
    cases = [b"", b"\1", b"\0\0\0\0", b"\xff\0\0\0", struct.pack("<BBH", vc.PLAY, 1, 0) + b"\1",
             struct.pack("<BBH", vc.PLAY, 0, 0),
             struct.pack("<BBH", vc.PLAY, 0, 0) + b"\1\1", struct.pack("<BBH", vc.CONSOLE, 0, 0) + b"\xff\xff1",
             struct.pack("<BBH", vc.CONSOLE, 0, 0) + text("a\0b"), struct.pack("<BBH", vc.CONSOLE, 0, 0) + b"\2\0\xc3\x28",
             struct.pack("<BBH", vc.GRAVITY, 0, 0) + vec(0, float("nan"), 0), struct.pack("<BBH", vc.SHOWN, 0, 0) * 2,
             bytes(300 << 10), bytes(5 << 20)]
    for case in cases:
        watcher.until(lambda: watcher.status["holder"], "the controls back")
        watcher.do(vc.CONTROLS, b"\0")  # so that the sender holds them
        viewer = Viewer(server.port)
        try:
            viewer.do(vc.CONTROLS, b"\1")
            viewer.send_raw(case)
        except (ConnectionError, OSError):
            pass
        check(is_closed(viewer), f"{case[:20]!r} of {len(case)} bytes was borne")
    viewer = Viewer(server.port)
    viewer.send_raw(b"text", opcode=1)
    check(is_closed(viewer), "text was borne")
    frame = watcher.next_frame()
    watcher.until(lambda: watcher.frame.time > frame.time, "the simulation goes on")
    watcher.close()


def test_ten_thousand_random_messages(server):
    chance = random.Random(20261117)
    memory = 0  # nobody else is there: each sender holds the controls
    for round_number in range(1000):
        viewer = Viewer(server.port)
        try:
            for _ in range(10):
                data = chance.randbytes(chance.randrange(1, 60))
                if chance.random() < 0.5:  # as far as the payload
                    kind = chance.choice([2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 19, 21, 22, 23, 26])
                    data = struct.pack("<BBH", kind, 0, 7) + data
                viewer.send_raw(data)
            viewer.ask(vc.HASH)  # until all of it was read, or the connection closed
        except (ConnectionError, OSError):
            pass
        viewer.close()
        if round_number == 100:
            memory = server.memory()
    watcher = Viewer(server.port)
    watcher.do(vc.HASH)
    grown = server.memory() - memory
    print(f"    memory grew by {grown / 1e6:.1f} MB over 9000 messages")
    check("ASAN_OPTIONS" in os.environ or grown < 100e6, f"memory grew by {grown} bytes")
    watcher.do(vc.RESET)
    watcher.do(vc.PLAY, b"\1")
    frame = watcher.next_frame()
    watcher.until(lambda: watcher.frame.time > frame.time, "the simulation goes on")
    watcher.close()


def test_fifty_connections(server):
    viewers, refused = [], 0
    for _ in range(50):
        try:
            viewers.append(Viewer(server.port))
        except (Refused, ConnectionError):
            refused += 1
    check(len(viewers) == 16 and refused == 34, f"{len(viewers)} came in, {refused} were refused")
    viewers[0].do(vc.PLAY, b"\1")
    frame = viewers[0].next_frame()
    viewers[0].until(lambda: viewers[0].frame.time > frame.time, "the simulation goes on")
    for viewer in viewers:
        viewer.close()


def test_a_viewer_that_sleeps(server):
    sleeper, viewer = Viewer(server.port), Viewer(server.port)
    viewer.until(lambda: viewer.frame, "a frame")
    sleeper.send(vc.PACE, FLOAT(0) + b"\1")
    sleeper.send(vc.PLAY, b"\1")
    for _ in range(50):
        viewer.next_frame()
    memory = server.memory()
    start = viewer.frame.sequence
    for _ in range(200):
        viewer.next_frame()
    check(viewer.frame.sequence > start, "frames come")
    check("ASAN_OPTIONS" in os.environ or server.memory() - memory < 50e6, f"{server.memory()} after {memory} bytes")
    sleeper.close()
    viewer.close()


def test_bad_usage(coulis):
    for arguments, words in ((["view"], "SCENE"), (["view", "no-such-scene"], "no scene"),
                             (["view", "drop-2d", "--port", "99999"], "range"),
                             (["view", "drop-2d", "--listen", "198.51.100.7"], "listen")):
        result = subprocess.run([coulis, *arguments], capture_output=True, text=True, timeout=vc.LIMIT)
        check(result.returncode == 2 and words in result.stderr and not result.stdout, (arguments, result))
    environment = dict(os.environ, COULIS_VIEW_TOKEN="short")
    result = subprocess.run([coulis, "view", "drop-2d"], capture_output=True, text=True, env=environment, timeout=vc.LIMIT)
    check(result.returncode == 2 and "token" in result.stderr, result)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    coulis, wanted = sys.argv[1], sys.argv[3:]
    tests = [(name, function) for name, function in globals().items() if name.startswith("test_")]
    with tempfile.TemporaryDirectory(dir=sys.argv[2]) as folder:
        scene = os.path.join(folder, "pool.lua")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(POOL)
        server = Server(coulis, scene, "--record", os.path.join(folder, "recorded"))
        known = {"server": server, "coulis": coulis, "folder": folder}
        try:
            for name, function in tests:
                if wanted and name not in wanted:
                    continue
                start = time.monotonic()
                function(*[known[argument] for argument in function.__code__.co_varnames[:function.__code__.co_argcount]])
                print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
        except BaseException:
            for started in Server.started:
                started.process.kill()
            raise
        server.stop()


main()
