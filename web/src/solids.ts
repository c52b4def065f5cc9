// Deformable solids: triangles between points that each frame moves.
import { cross, normalize, sub } from "./maths";
import type { Frame, Shape, Solid, Vec3 } from "./protocol";

interface Drawn {
    solid: Solid;
    array: WebGLVertexArrayObject;
    buffers: WebGLBuffer[]; // of places, normals, colours and indices
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
            buffers = [0, 1, 2, 3].map(() => gl.createBuffer()!);
        if (old) this.free(old);
        gl.bindVertexArray(array);
        for (let i = 0; i < 3; ++i) {
            gl.bindBuffer(gl.ARRAY_BUFFER, buffers[i]);
            gl.enableVertexAttribArray(i);
            if (i < 2) gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 12, 0);
            else gl.vertexAttribPointer(i, 3, gl.UNSIGNED_BYTE, true, 4, 0);
        }
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[3]);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, solid.indices, gl.STATIC_DRAW);
        gl.bindVertexArray(null);
        this.drawn.set(solid.key, { solid, array, buffers, sequence: -1 });
    }

    private upload(drawn: Drawn, shape: Shape): void {
        const gl = this.gl;
        [shape.points, smoothNormals(shape.points, drawn.solid.indices), shape.colors].forEach((data, i) => {
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
            gl.drawElements(gl.TRIANGLES, drawn.solid.indices.length, gl.UNSIGNED_INT, 0);
            gl.bindVertexArray(null);
            if (isClear) gl.disable(gl.BLEND);
        }
    }
}

// Of each point the sum of its triangles' areas.
function smoothNormals(points: Float32Array, indices: Uint32Array): Float32Array {
    const normals = new Float32Array(points.length),
        point = (i: number): Vec3 => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
    for (let f = 0; f < indices.length; f += 3) {
        const a = point(indices[f]),
            area = cross(sub(point(indices[f + 1]), a), sub(point(indices[f + 2]), a));
        for (let k = 0; k < 9; ++k) normals[3 * indices[f + Math.floor(k / 3)] + (k % 3)] += area[k % 3];
    }
    for (let i = 0; i < normals.length; i += 3) normals.set(normalize([normals[i], normals[i + 1], normals[i + 2]]), i);
    return normals;
}
