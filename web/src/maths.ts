// Small vectors and 4 x 4 matrices, column by column as WebGL has them.
import type { Vec3 } from "./protocol";

export type Mat4 = Float32Array;

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (s: number, a: Vec3): Vec3 => [s * a[0], s * a[1], s * a[2]];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
];
export const length = (a: Vec3): number => Math.sqrt(dot(a, a));
export const normalize = (a: Vec3): Vec3 => scale(1 / (length(a) || 1), a);
export const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);

export function multiply(a: Mat4, b: Mat4): Mat4 {
    const out = new Float32Array(16);
    for (let c = 0; c < 4; ++c)
        for (let r = 0; r < 4; ++r) for (let k = 0; k < 4; ++k) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
    return out;
}

export function lookAt(from: Vec3, to: Vec3, up: Vec3): Mat4 {
    const z = normalize(sub(from, to)),
        x = normalize(cross(up, z)),
        y = cross(z, x);
    return new Float32Array([
        x[0],
        y[0],
        z[0],
        0,
        x[1],
        y[1],
        z[1],
        0,
        x[2],
        y[2],
        z[2],
        0,
        -dot(x, from),
        -dot(y, from),
        -dot(z, from),
        1,
    ]);
}

export function perspective(fov: number, aspect: number, near: number, far: number): Mat4 {
    const f = 1 / Math.tan(fov / 2),
        out = new Float32Array(16);
    ((out[0] = f / aspect),
        (out[5] = f),
        (out[10] = (far + near) / (near - far)),
        (out[11] = -1),
        (out[14] = (2 * far * near) / (near - far)));
    return out;
}

export function orthographic(halfWidth: number, halfHeight: number, near: number, far: number): Mat4 {
    const out = new Float32Array(16);
    ((out[0] = 1 / halfWidth),
        (out[5] = 1 / halfHeight),
        (out[10] = 2 / (near - far)),
        (out[14] = (far + near) / (near - far)),
        (out[15] = 1));
    return out;
}

export function fromPose(position: Vec3, q: [number, number, number, number]): Mat4 {
    const [x, y, z, w] = q;
    return new Float32Array([
        1 - 2 * (y * y + z * z),
        2 * (x * y + z * w),
        2 * (x * z - y * w),
        0,
        2 * (x * y - z * w),
        1 - 2 * (x * x + z * z),
        2 * (y * z + x * w),
        0,
        2 * (x * z + y * w),
        2 * (y * z - x * w),
        1 - 2 * (x * x + y * y),
        0,
        position[0],
        position[1],
        position[2],
        1,
    ]);
}

export function rotate(q: [number, number, number, number], v: Vec3): Vec3 {
    const u: Vec3 = [q[0], q[1], q[2]],
        t = scale(2, cross(u, v));
    return add(add(v, scale(q[3], t)), cross(u, t));
}
export const unrotate = (q: [number, number, number, number], v: Vec3): Vec3 => rotate([-q[0], -q[1], -q[2], q[3]], v);
