// Deformable solids: triangles between points that each frame moves.
import { cross, dot, normalize, sub } from "./maths";
import type { Frame, Shape, Solid, Vec3 } from "./protocol";

interface Drawn {
    solid: Solid;
    array: WebGLVertexArrayObject;
    buffers: WebGLBuffer[]; // of places, normals and colours, three a triangle
    smooth: { starts: Uint32Array; faces: Uint32Array } | null; // of each corner: the faces that its normal is the mean of
    sequence: number; // of the frame that they are from
}

export class Solids {
    private drawn = new Map<number, Drawn>();

    constructor(private gl: WebGL2RenderingContext) {}

    get(key: number): Solid | undefined {
        return this.drawn.get(key)?.solid;
    }

    clear(): void {
        for (const drawn of this.drawn.values()) this.free(drawn);
        this.drawn.clear();
    }

    private free(drawn: Drawn): void {
        this.gl.deleteVertexArray(drawn.array);
        for (const buffer of drawn.buffers) this.gl.deleteBuffer(buffer);
    }

    add(solid: Solid): void {
        const gl = this.gl,
            old = this.drawn.get(solid.key),
            array = gl.createVertexArray()!,
            buffers = [0, 1, 2].map(() => gl.createBuffer()!);
        if (old) this.free(old);
        gl.bindVertexArray(array);
        for (let i = 0; i < 3; ++i) {
            gl.bindBuffer(gl.ARRAY_BUFFER, buffers[i]);
            gl.enableVertexAttribArray(i);
            if (i < 2) gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 12, 0);
            else gl.vertexAttribPointer(i, 3, gl.UNSIGNED_BYTE, true, 4, 0);
        }
        gl.bindVertexArray(null);
        this.drawn.set(solid.key, { solid, array, buffers, smooth: null, sequence: -1 });
    }

    private upload(drawn: Drawn, shape: Shape): void {
        const gl = this.gl,
            { indices } = drawn.solid,
            areas = faceAreas(shape.points, indices);
        drawn.smooth ??= findSmooth(areas, indices, drawn.solid.count);
        const places = new Float32Array(3 * indices.length),
            normals = new Float32Array(3 * indices.length),
            colors = new Uint8Array(4 * indices.length),
            { starts, faces } = drawn.smooth;
        for (let c = 0; c < indices.length; ++c) {
            const i = indices[c],
                sum: Vec3 = [0, 0, 0];
            for (let k = starts[c]; k < starts[c + 1]; ++k) for (let a = 0; a < 3; ++a) sum[a] += areas[3 * faces[k] + a];
            normals.set(normalize(sum), 3 * c);
            for (let a = 0; a < 3; ++a) places[3 * c + a] = shape.points[3 * i + a];
            for (let a = 0; a < 3; ++a) colors[4 * c + a] = shape.colors[4 * i + a];
        }
        [places, normals, colors].forEach((data, i) => {
            gl.bindBuffer(gl.ARRAY_BUFFER, drawn.buffers[i]);
            gl.bufferData(gl.ARRAY_BUFFER, data, gl.STREAM_DRAW);
        });
    }

    /** With the program that is in use; `paint` is told the opacity of each. */
    draw(frame: Frame, paint: (opacity: number) => void): void {
        const gl = this.gl;
        for (const shape of frame.solids) {
            const drawn = this.drawn.get(shape.key);
            if (!drawn || shape.points.length !== 3 * drawn.solid.count) continue;
            if (drawn.sequence !== frame.sequence) this.upload(drawn, shape);
            drawn.sequence = frame.sequence;
            const isClear = drawn.solid.opacity < 0.99;
            paint(drawn.solid.opacity);
            if (isClear) gl.enable(gl.BLEND);
            gl.bindVertexArray(drawn.array);
            gl.drawArrays(gl.TRIANGLES, 0, drawn.solid.indices.length);
            gl.bindVertexArray(null);
            if (isClear) gl.disable(gl.BLEND);
        }
    }
}

// Outward, with the double area as length.
function faceAreas(points: Float32Array, indices: Uint32Array): Float32Array {
    const areas = new Float32Array(indices.length),
        point = (i: number): Vec3 => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
    for (let f = 0; f < indices.length; f += 3) {
        const a = point(indices[f]);
        areas.set(cross(sub(point(indices[f + 1]), a), sub(point(indices[f + 2]), a)), f);
    }
    return areas;
}

// As the solid was first seen: around a point, faces that meet at less than 60 degrees are one surface.
function findSmooth(areas: Float32Array, indices: Uint32Array, count: number): { starts: Uint32Array; faces: Uint32Array } {
    const around: number[][] = Array.from({ length: count }, () => []),
        starts = new Uint32Array(indices.length + 1),
        faces: number[] = [];
    const normal = (f: number): Vec3 => normalize([areas[3 * f], areas[3 * f + 1], areas[3 * f + 2]]);
    indices.forEach((i, c) => around[i].push(Math.floor(c / 3)));
    indices.forEach((i, c) => {
        const own = normal(Math.floor(c / 3));
        faces.push(...around[i].filter((f) => dot(own, normal(f)) > 0.5));
        starts[c + 1] = faces.length;
    });
    return { starts, faces: Uint32Array.from(faces) };
}
