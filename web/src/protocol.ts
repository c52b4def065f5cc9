// The messages of docs/viewer.md: what the page asks, what it is told. Little-endian, with a head of four bytes.

export const Ask = {
    Shown: 1,
    Play: 2,
    Step: 3,
    Reset: 4,
    Pace: 5,
    Color: 6,
    Set: 7,
    Pour: 8,
    Grab: 9,
    Drag: 10,
    Drop: 11,
    Cut: 12,
    Gravity: 13,
    Console: 14,
    Inspect: 15,
    Controls: 16,
    Open: 17,
    Method: 18,
    Undo: 19,
    Export: 20,
    Springs: 21,
    Remove: 22,
    Hash: 23,
    Record: 24,
    Seek: 25,
    DragSolid: 26,
} as const;
export const Tell = { Scene: 1, Frame: 2, Mesh: 3, Answer: 4, Status: 5, File: 6, Inspect: 7, Log: 8, Solid: 9 } as const;
export const PROTOCOL = 1;

export type Vec3 = [number, number, number];

export interface Param {
    name: string;
    unit: string;
    help: string;
    type: "float" | "int" | "bool" | "vec3" | "choice" | "name";
    value: string;
    start: string;
    auto: boolean;
    open: boolean;
    min: number | null;
    max: number | null;
    choices?: string[];
}
export interface Group {
    group: number;
    name: string;
    params: Param[];
}
export interface Material {
    name: string;
    color: Vec3;
    absorption: Vec3;
    opacity: number;
    refraction: number;
    density: number;
}
export interface Scene {
    protocol: number;
    serial: number;
    version: string;
    scene: string;
    title: string;
    note: string;
    source: "live" | "run" | "files";
    method: string;
    dimension: number;
    spacing: number;
    support: number;
    fps: number;
    duration: number;
    frames: number;
    pressure: boolean;
    springs: boolean;
    record: boolean;
    thumbnails: boolean;
    lower: Vec3;
    upper: Vec3;
    camera: { set: boolean; fov: number; from: Vec3; to: Vec3 };
    methods: string[];
    phases: string[];
    scenes: string[];
    materials: Material[];
    groups: Group[];
}
export interface Status {
    playing: boolean;
    broken: boolean;
    holder: boolean;
    held: boolean;
    viewers: number;
    speed: number;
    ticks: number;
    color: number;
    undo: number;
    recording: number;
}
export interface Inspected {
    kind: number;
    id?: number;
    name?: string;
    at?: Vec3;
    velocity?: Vec3;
    spin?: Vec3;
    mass?: number;
    density?: number;
    pressure?: number;
    material?: number;
    asleep?: boolean;
    arrows?: { name: string; force: Vec3 }[];
}
export interface Mesh {
    key: number;
    dimension: number;
    isFree: boolean;
    isEndless: boolean;
    color: Vec3;
    opacity: number;
    name: string;
    vertices: Float32Array;
    indices: Uint32Array;
}
export interface Pose {
    key: number;
    position: Vec3;
    rotation: [number, number, number, number];
}
/** What a deformable solid is made of; frames say where its points are. */
export interface Solid {
    key: number;
    opacity: number;
    name: string;
    count: number;
    indices: Uint32Array;
}
export interface Shape {
    key: number;
    points: Float32Array;
    colors: Uint8Array; // four bytes each
}
export interface Frame {
    serial: number;
    sequence: number;
    time: number;
    steps: number;
    number: number;
    isPlaying: boolean;
    isBroken: boolean;
    count: number;
    color: number;
    dt: number;
    substeps: number;
    iterations: number;
    densityError: number;
    densityErrorMax: number;
    maxSpeed: number;
    seconds: number;
    kinetic: number;
    potential: number;
    valueLower: number;
    valueUpper: number;
    lower: Vec3;
    size: Vec3;
    phases: number[];
    bodies: Pose[];
    particles: Uint8Array;
    solids: Shape[];
}

// --- Writing ---

export class Message {
    private bytes = new Uint8Array(64);
    private view = new DataView(this.bytes.buffer);
    private size = 0;

    constructor(type: number, number = 0) {
        this.u8(type).u8(0).u16(number);
    }

    private extend(count: number): number {
        const at = this.size;
        this.size += count;
        if (this.size > this.bytes.length) {
            const grown = new Uint8Array(2 * this.size);
            grown.set(this.bytes);
            this.bytes = grown;
            this.view = new DataView(grown.buffer);
        }
        return at;
    }
    u8(value: number): this {
        this.view.setUint8(this.extend(1), value);
        return this;
    }
    u16(value: number): this {
        this.view.setUint16(this.extend(2), value, true);
        return this;
    }
    u32(value: number): this {
        this.view.setUint32(this.extend(4), value, true);
        return this;
    }
    f32(value: number): this {
        this.view.setFloat32(this.extend(4), value, true);
        return this;
    }
    vec3(v: Vec3): this {
        return this.f32(v[0]).f32(v[1]).f32(v[2]);
    }
    text(value: string): this {
        const data = new TextEncoder().encode(value);
        this.u16(data.length);
        const at = this.extend(data.length);
        this.bytes.set(data, at);
        return this;
    }
    done(): Uint8Array<ArrayBuffer> {
        return this.bytes.slice(0, this.size);
    }
}

// --- Reading ---

export const bodyKey = (index: number, generation: number): number => index * 65536 + generation;

const decoder = new TextDecoder();
export const readText = (data: Uint8Array, from: number, to?: number): string => decoder.decode(data.subarray(from, to));
export const readJson = <T>(data: Uint8Array): T => JSON.parse(readText(data, 4)) as T;

export function readMesh(data: Uint8Array): Mesh {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const dimension = view.getUint8(8),
        flags = view.getUint8(9);
    const vertexCount = view.getUint32(28, true),
        elementCount = view.getUint32(32, true);
    const start = data.byteOffset + 36,
        middle = start + 12 * vertexCount,
        end = middle + 4 * dimension * elementCount;
    const copy = data.buffer.slice(start, end) as ArrayBuffer;
    return {
        key: bodyKey(view.getUint16(4, true), view.getUint16(6, true)),
        dimension,
        isFree: (flags & 1) !== 0,
        isEndless: (flags & 2) !== 0,
        color: [view.getFloat32(12, true), view.getFloat32(16, true), view.getFloat32(20, true)],
        opacity: view.getFloat32(24, true),
        name: readText(data, end - data.byteOffset),
        vertices: new Float32Array(copy, 0, 3 * vertexCount),
        indices: new Uint32Array(copy, 12 * vertexCount, dimension * elementCount),
    };
}

export function readSolid(data: Uint8Array): Solid {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength),
        end = 20 + 12 * view.getUint32(16, true);
    return {
        key: bodyKey(view.getUint16(4, true), view.getUint16(6, true)),
        opacity: view.getFloat32(8, true),
        name: readText(data, end),
        count: view.getUint32(12, true),
        indices: new Uint32Array(data.slice(20, end).buffer),
    };
}

// To the end of a frame: each solid's handle, its count, and 16 bytes a point.
function readShapes(view: DataView, start: number): Shape[] {
    const shapes: Shape[] = [];
    for (let at = start; at + 8 <= view.byteLength;) {
        const count = view.getUint32(at + 4, true),
            points = new Float32Array(3 * count),
            colors = new Uint8Array(4 * count);
        const key = bodyKey(view.getUint16(at, true), view.getUint16(at + 2, true));
        at += 8;
        for (let i = 0; i < count; ++i, at += 16) {
            for (let a = 0; a < 3; ++a) points[3 * i + a] = view.getFloat32(at + 4 * a, true);
            for (let a = 0; a < 3; ++a) colors[4 * i + a] = view.getUint8(at + 12 + a);
        }
        shapes.push({ key, points, colors });
    }
    return shapes;
}

export function readFrame(data: Uint8Array): Frame {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const f = (at: number): number => view.getFloat32(at, true);
    const v = (at: number): Vec3 => [f(at), f(at + 4), f(at + 8)];
    const flags = view.getUint32(28, true),
        count = view.getUint32(32, true),
        bodyCount = view.getUint16(36, true);
    const phaseCount = view.getUint8(39);
    const phases: number[] = [],
        bodies: Pose[] = [];
    for (let i = 0; i < phaseCount; ++i) phases.push(f(108 + 4 * i));
    let at = 108 + 4 * phaseCount;
    for (let i = 0; i < bodyCount; ++i, at += 32) {
        bodies.push({
            key: bodyKey(view.getUint16(at, true), view.getUint16(at + 2, true)),
            position: v(at + 4),
            rotation: [f(at + 16), f(at + 20), f(at + 24), f(at + 28)],
        });
    }
    return {
        serial: view.getUint16(2, true),
        sequence: view.getUint32(4, true),
        time: view.getFloat64(8, true),
        steps: Number(view.getBigUint64(16, true)),
        number: view.getUint32(24, true),
        isPlaying: (flags & 1) !== 0,
        isBroken: (flags & 2) !== 0,
        count,
        color: view.getUint8(38),
        dt: f(40),
        substeps: view.getUint32(44, true),
        iterations: view.getUint32(48, true),
        densityError: f(52),
        densityErrorMax: f(56),
        maxSpeed: f(60),
        seconds: f(64),
        kinetic: f(68),
        potential: f(72),
        valueLower: f(76),
        valueUpper: f(80),
        lower: v(84),
        size: v(96),
        phases,
        bodies,
        particles: data.subarray(at, at + 8 * count),
        solids: readShapes(view, at + 8 * count),
    };
}
