"""A viewer in Python, for the tests: just enough of HTTP, WebSocket and the protocol of docs/viewer.md."""
import base64
import json
import os
import re
import socket
import struct
import subprocess
import time

TOKEN = "test-token-0123456789"
SHOWN, PLAY, STEP, RESET, PACE, COLOR, SET, POUR, GRAB, DRAG, DROP, CUT, GRAVITY, CONSOLE, INSPECT, CONTROLS, OPEN, METHOD, \
    UNDO, EXPORT, SPRINGS, REMOVE, HASH, RECORD, SEEK, DRAG_SOLID = range(1, 27)
SCENE, FRAME, MESH, ANSWER, STATUS, FILE, INSPECTED, LOG, SOLID = range(1, 10)
LIMIT = 300  # [s]; means never, also on a busy machine under sanitizers


def text(value):
    data = value.encode()
    return struct.pack("<H", len(data)) + data


class Refused(Exception):
    """What the server answered instead of a connection."""


class Server:
    """`coulis view` as a child."""
    started = []

    def __init__(self, coulis, *arguments, port=0):
        environment = dict(os.environ, COULIS_VIEW_TOKEN=TOKEN)
        self.process = subprocess.Popen([coulis, "view", *arguments, "--port", str(port), "--threads", "1"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        Server.started.append(self)
        self.url = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=(.*)", self.url)
        if not match:
            raise AssertionError(f"no address but {self.url!r}: {self.process.communicate()[1]}")
        self.port = int(match.group(1))

    def memory(self):
        """Resident size [bytes]."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return 1024 * int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def stop(self):
        self.process.terminate()
        output = self.process.communicate(timeout=LIMIT)
        if self.process.returncode != 0:
            raise AssertionError(f"coulis view ends with {self.process.returncode}: {output[1]}")


def get(port, path):
    """(status, headers and body) of a request."""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while True:
            part = connection.recv(65536)
            if not part:
                break
            answer += part
    return int(answer.split()[1]), answer.decode(errors="replace")


class Frame:
    def __init__(self, data):
        (self.sequence, self.time, self.steps, self.frame, self.flags, self.count, body_count, self.color,
         phase_count) = struct.unpack_from("<IdQIIIHBB", data, 4)
        (self.dt, self.substeps, self.iterations, self.density_error, self.density_error_max, self.max_speed, self.seconds,
         self.kinetic, self.potential, self.value_lower, self.value_upper) = struct.unpack_from("<fIIffffffff", data, 40)
        self.lower = struct.unpack_from("<3f", data, 84)
        self.size = struct.unpack_from("<3f", data, 96)
        place = 108 + 4 * phase_count
        self.bodies = {}
        for i in range(body_count):
            row = struct.unpack_from("<HH7f", data, place + 32 * i)
            self.bodies[row[:2]] = row[2:]
        place += 32 * body_count
        self.particles = data[place:place + 8 * self.count]
        if len(self.particles) != 8 * self.count:
            raise AssertionError(f"{len(self.particles)} bytes for {self.count} particles")
        self.solids = {}
        place += 8 * self.count
        while place < len(data):
            index, generation, count = struct.unpack_from("<HHI", data, place)
            self.solids[(index, generation)] = [struct.unpack_from("<3f4B", data, place + 8 + 16 * i) for i in range(count)]
            place += 8 + 16 * count
        if place != len(data):
            raise AssertionError(f"a frame of {len(data)} bytes ends at {place}")

    def mean_height(self):
        heights = [struct.unpack_from("<H", self.particles, 8 * i + 2)[0] for i in range(self.count)]
        return self.lower[1] + self.size[1] * sum(heights) / 65535 / max(1, self.count)


class Viewer:
    def __init__(self, port, token=TOKEN, origin=None, path="/stream"):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        self.buffer = b""
        self.number = 0
        self.answers, self.files, self.logs = {}, {}, []
        self.scene = self.status = self.frame = self.inspected = None
        self.values = {}
        self.meshes, self.solids = {}, {}
        lines = [f"GET {path}?token={token} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: Upgrade", "Upgrade: websocket",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: coulis.v1",
                 "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        if origin:
            lines.append(f"Origin: {origin}")
        self.connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if head.split()[1] != b"101":
            self.connection.close()
            raise Refused(int(head.split()[1]))

    def fill(self):
        part = self.connection.recv(1 << 20)
        if not part:
            raise ConnectionError("closed")
        self.buffer += part

    def close(self):
        self.connection.close()

    def send_raw(self, data, opcode=2):
        mask = os.urandom(4)
        size = len(data)
        head = bytes([0x80 | opcode])
        head += bytes([0x80 | size]) if size < 126 else \
            struct.pack(">BH", 0xfe, size) if size < 65536 else struct.pack(">BQ", 0xff, size)
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
        self.connection.sendall(head + mask + masked)

    def send(self, kind, payload=b""):
        self.number = self.number % 65535 + 1
        self.send_raw(struct.pack("<BBH", kind, 0, self.number) + payload)
        return self.number

    def receive(self):
        """The next message, taken note of. Raises ConnectionError when the server has closed."""
        while len(self.buffer) < 2:
            self.fill()
        opcode, size, place = self.buffer[0] & 15, self.buffer[1] & 127, 2
        if size > 125:
            place = 4 if size == 126 else 10
            while len(self.buffer) < place:
                self.fill()
            size = int.from_bytes(self.buffer[2:place], "big")
        parts, have = [self.buffer], len(self.buffer)
        while have < place + size:
            part = self.connection.recv(1 << 20)
            if not part:
                raise ConnectionError("closed")
            parts.append(part)
            have += len(part)
        whole = b"".join(parts)
        data, self.buffer = whole[place:place + size], whole[place + size:]
        if opcode == 8:
            raise ConnectionError("closed")
        if opcode == 9:
            self.send_raw(data, opcode=10)
        if opcode == 2:
            self.note(data)
        return data

    def note(self, data):
        kind, _, number = struct.unpack_from("<BBH", data)
        if kind == SCENE:
            self.scene, self.meshes, self.solids = json.loads(data[4:]), {}, {}
            self.frame = None
        elif kind == FRAME:
            if number == self.scene["serial"]:  # otherwise of the scene before
                self.frame = Frame(data)
            self.send_raw(struct.pack("<BBH", SHOWN, 0, 0))
        elif kind == MESH:
            self.meshes[struct.unpack_from("<HH", data, 4)] = data
        elif kind == SOLID:
            self.solids[struct.unpack_from("<HH", data, 4)] = data
        elif kind == ANSWER:
            self.answers[number] = (bool(data[4]), data[5:].decode())
        elif kind == STATUS:
            status = json.loads(data[4:])
            if "set" in status:
                self.values[tuple(status["set"][:2])] = status["set"][2]
            else:
                self.status = status
        elif kind == FILE:
            size = struct.unpack_from("<H", data, 4)[0]
            self.files[data[6:6 + size].decode()] = data[6 + size:]
        elif kind == INSPECTED:
            self.inspected = json.loads(data[4:])
        elif kind == LOG:
            self.logs.append(data[4:].decode())

    def until(self, condition, what):
        end = time.monotonic() + LIMIT
        while not condition():
            self.receive()
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for: {what}")

    def ask(self, kind, payload=b""):
        """(good, text) of the answer."""
        number = self.send(kind, payload)
        self.until(lambda: number in self.answers, f"the answer to {kind}")
        return self.answers.pop(number)

    def do(self, kind, payload=b""):
        is_good, answer = self.ask(kind, payload)
        if not is_good:
            raise AssertionError(f"command {kind} was refused: {answer}")
        return answer

    def next_frame(self):
        last = self.frame
        self.until(lambda: self.frame is not last, "a frame")
        return self.frame

    def hash(self):
        return self.do(HASH)
