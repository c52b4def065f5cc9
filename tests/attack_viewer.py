"""The viewer's server under attack: requests and messages of people who should not be there, or mean harm. After each it must
still show its scene to a good viewer, and at the end stop as told. A part of attack_test.py."""
import os
import shutil
import socket
import struct

import attack_results as results
import viewer_client as vc
from viewer_client import TOKEN, Refused, Server, Viewer, get

POOL = """scene { title = "A pool", dimension = 2, spacing = 0.04, duration = 10, fps = 30, depth = 0.3, speed = 3 }
body { name = "tank", shape = shell { box { size = { 0.8, 0.8 } }, thickness = 0.1, open = true }, at = { 0, 0.4 } }
body { name = "cork", shape = box { size = { 0.1, 0.1 } }, at = { 0.2, 0.5 }, density = 300 }
fluid { material = "water", shape = box { size = { 0.8, 0.3 } }, at = { 0, 0.15 } }
"""
FLOATS = [0.0, -1.0, 1e38, -1e38, float("nan"), float("inf"), 1e-40, 1e9]
CONSOLE = [
    "while true do end", "local s = 'x' while true do s = s .. s end", "os.execute('touch hacked')", "error({})", "world = nil",
    "print(('x'):rep(1e7))", "for i = 1, 1e6 do print(i) end", "\x1b[2J\0", "(" * 10000, "world:gravity { 0/0, 0, 0 }",
    "local t = setmetatable({}, {}) getmetatable(t).__call = t t()", "require '../../etc/passwd'", "coroutine.yield()",
    "return " + "{" * 200, "world:set('water', 'viscosity', 0/0)", "world:remove('tank')",
]


def requests(rng, count):
    """Raw HTTP, of which none is a good one with the token."""
    paths = ["/", "/stream", "/index.html", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//", "/?token=",
             "/?token=" + "x" * 9000, "/\0", "/?token=\xff\xfe", "/?token=" + TOKEN[:-1], "/?token=" + TOKEN + "x",
             "/?tokenx=" + TOKEN, "/stream?token=" + TOKEN[:-1]]
    methods = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "", "GET GET", "G" * 5000]
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
    heads = ["", "Host: x\r\n", "Content-Length: 99999999999\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n",
             "X: " + "y" * 20000 + "\r\n", upgrade, upgrade + "Sec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Protocol: coulis.v1\r\nSec-WebSocket-Key: \r\n", "\r\n" * 100,
             "".join(f"X{i}: y\r\n" for i in range(500))]
    for number in range(count):
        if number % 5 == 0:
            yield bytes(rng.randrange(256) for _ in range(rng.choice((1, 10, 500))))
        else:
            end = rng.choice(("\r\n\r\n", "\r\n", "", "\n\n"))
            yield (f"{rng.choice(methods)} {rng.choice(paths)} {rng.choice(('HTTP/1.1', 'HTTP/9.9', ''))}\r\n"
                   f"{rng.choice(heads)}{end}").encode("latin-1", "replace")


def wild_numbers(rng, count):
    return b"".join(struct.pack("<f", rng.choice(FLOATS)) for _ in range(count))


def wild_command(rng, number):
    """The right shape of some command, with wild numbers."""
    bodies = {vc.POUR: lambda: bytes([1, rng.randrange(256)]) + wild_numbers(rng, 8),
              vc.GRAB: lambda: b"\1" + wild_numbers(rng, 5),
              vc.DROP: lambda: bytes([rng.randrange(4), rng.randrange(256)]) + wild_numbers(rng, 5) +
              bytes([rng.randrange(256)]) + wild_numbers(rng, rng.randrange(20)),
              vc.CUT: lambda: wild_numbers(rng, 6), vc.GRAVITY: lambda: wild_numbers(rng, 3),
              vc.PACE: lambda: wild_numbers(rng, 1) + bytes([rng.randrange(256)]), vc.STEP: lambda: struct.pack("<H", 65535)}
    kind = rng.choice(list(bodies))
    return struct.pack("<BBH", kind, 0, number) + bodies[kind]()


def messages(rng, count):
    """(bytes, opcode) for a connection with the token."""
    words = ["", "viscosity", "gravity", "x" * 60000, "\0", "../../x", "method", "nan", "1e999", "\x1b[2J"]
    names = ["../../etc/passwd", "/etc/passwd", "", "x" * 60000, "in/scene", "\0", "dam-break-2d"]
    for number in range(1, count + 1):
        head = struct.pack("<BBH", rng.randrange(1, 30), 0, number)
        choice = number % 6
        if choice == 0:
            yield wild_command(rng, number), 2
        elif choice == 1:
            yield struct.pack("<BBH", vc.CONSOLE, 0, number) + vc.text(rng.choice(CONSOLE)), 2
        elif choice == 2:
            yield head + bytes(rng.randrange(256) for _ in range(rng.choice((0, 1, 7, 40, 300)))), 2
        elif choice == 3:
            head = struct.pack("<BBHB", vc.SET, 0, number, rng.randrange(256))
            yield head + vc.text(rng.choice(words)) + vc.text(rng.choice(words)), 2
        elif choice == 4:
            kind = rng.choice((vc.OPEN, vc.METHOD, vc.RECORD, vc.EXPORT))
            yield struct.pack("<BBH", kind, 0, number) + vc.text(rng.choice(names)), 2
        else:
            size = rng.choice((0, 3, 300, 270000))
            yield bytes(rng.randrange(256) for _ in range(size)), rng.choice((0, 1, 2, 3, 8, 9, 10, 15))


def shows_scene(server):
    """What a good viewer finds wrong, or None."""
    if server.process.poll() is not None:
        return f"the server has ended with {server.process.returncode}: {server.process.communicate()[1][-300:]}"
    if get(server.port, "/?token=" + TOKEN)[0] != 200:
        return "the page is not given out"
    viewer = Viewer(server.port)
    try:
        viewer.next_frame()
    finally:
        viewer.close()
    return None


def ask_raw(server, data):
    """The status that the server answers, 0 when it says nothing."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=2) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(4096)
        except OSError:
            return 0
    words = answer.split()
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


def take_controls(viewer):
    """The server may not have noticed yet that the last one who had them is gone."""
    while not viewer.ask(vc.CONTROLS, b"\1")[0]:
        pass


def attack_with_messages(server, cases):
    """Each on a connection of its own that resets the scene first."""
    for data, opcode in cases:
        viewer = Viewer(server.port)
        try:
            take_controls(viewer)
            viewer.do(vc.RESET)
            viewer.send_raw(data, opcode)
            number = viewer.send(vc.HASH)
            viewer.until(lambda: number in viewer.answers, "an answer")
        except (ConnectionError, BrokenPipeError, OSError, Refused):
            pass  # closed: that is what malformed messages get
        finally:
            viewer.close()
        what = shows_scene(server)
        if what:
            yield f"{data[:80]!r}: {what}"
            return


def attack_viewer(attack, rng):
    with open("in/scene.lua", "w", encoding="ascii") as file:
        file.write(POOL)
    server = Server(attack.coulis, "in/scene.lua")
    troubles, cases = [], list(attack.part(requests(rng, 80)))
    for data in cases:
        status = ask_raw(server, data)
        if status in (101, 200):
            troubles.append(f"let in by {data[:100]!r}")
    what = shows_scene(server)
    attack.hold("requests to the viewer", len(cases), troubles + ([what] if what else []))

    cases = list(attack.part(messages(rng, 120)))
    troubles = list(attack_with_messages(server, cases))
    if os.path.exists("hacked"):
        troubles.append("a message has started a program")
    try:
        server.stop()
    except AssertionError as fault:
        troubles.append(str(fault)[:300])
    attack.hold("messages to the viewer", len(cases), troubles)


# --- Runs that are played back, and places to record into ---

def play(coulis, arguments, commands):
    """Serves it, sends the commands and stops it: what went wrong, or None. Refused with a message and exit code 2 is well."""
    server = Server.__new__(Server)
    try:
        server.__init__(coulis, *arguments)
    except AssertionError as fault:
        has_refused = server.process.returncode == 2 and len(str(fault).split("'': ", 1)[-1].strip()) > 0
        return None if has_refused else f"exit code {server.process.returncode}: {fault}"[:400]
    try:
        viewer = Viewer(server.port)
        for kind, payload in commands:
            viewer.ask(kind, payload)
        viewer.close()
        server.stop()
    except (AssertionError, OSError) as fault:
        server.process.kill()
        server.process.communicate()
        return f"{type(fault).__name__}: {fault}"[:400]
    return None


def attack_playback(attack, rng):
    """Folders of runs, changed as for the other commands."""
    seek = [(vc.SEEK, struct.pack("<I", frame)) for frame in (0, 1, 4000000000)] + [(vc.HASH, b"")]
    changes = [(f"{name} {what}", change) for name in results.FILES
               for what, change in (("damaged", results.spoil(rng, name)), ("damaged again", results.spoil(rng, name)),
                                    ("a pipe", results.pipe(name)))]
    troubles, cases = [], attack.part(changes)
    for what_is_it, change in cases:
        shutil.rmtree("case", ignore_errors=True)
        shutil.copytree("good", "case")
        change("case")
        what = play(attack.coulis, ["case"], seek)
        if what:
            troubles.append(f"{what_is_it}: {what}")
    attack.hold("runs played back", len(cases), troubles)


def places():
    """Makes each and gives its name."""
    def folder(name):
        def make():
            os.mkdir("record")
            with open(f"record/{name}", "w", encoding="ascii") as file:
                file.write("mine")
            return "record"
        return make

    def made(function, *arguments):
        def make():
            function(*arguments)
            return "record"
        return make

    yield from (folder(name) for name in ("particles_000001.vtp", "run.json", ".coulis-files", "notes.txt"))
    yield made(os.mkfifo, "record")
    yield made(os.symlink, "nowhere", "record")
    yield made(shutil.copyfile, "elsewhere/mine", "record")
    yield from (lambda place=place: place for place in ("/proc/none", "/dev/null", "elsewhere/mine/x", "\x1b[2J", "x" * 300))


def attack_recording(attack, _):
    record = [(vc.RECORD, b"\1"), (vc.STEP, struct.pack("<H", 2)), (vc.RECORD, b"\0"), (vc.HASH, b"")]
    troubles, cases = [], attack.part(places())
    for make in cases:
        for path in ("record", "\x1b[2J", "x" * 300, "elsewhere"):
            results.remove(path)
        os.mkdir("elsewhere")
        with open("elsewhere/mine", "w", encoding="ascii") as file:
            file.write("mine")
        place = make()
        what = play(attack.coulis, ["in/scene.lua", "--record", place], record)
        kept = ["elsewhere/mine"] + [f"record/{name}" for name in ("particles_000001.vtp", "run.json", "notes.txt")]
        for path in filter(os.path.isfile, kept):
            with open(path, "rb") as file:
                what = what or (f"{path} has changed" if file.read() != b"mine" else None)
        if what:
            troubles.append(f"{place[:40]!r}: {what}")
    attack.hold("places to record into", len(cases), troubles)
