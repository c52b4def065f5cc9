// Where the page looks from: around a target in 3D, straight at the plane in 2D.
import {
    add,
    clamp,
    cross,
    dot,
    length,
    lookAt,
    multiply,
    normalize,
    orthographic,
    perspective,
    scale,
    sub,
    type Mat4,
} from "./maths";
import type { Scene, Vec3 } from "./protocol";

export class Camera {
    is2d = false;
    target: Vec3 = [0, 0, 0];
    distance = 1;
    azimuth = 0;
    elevation = 0.3;
    fov = 0.7;
    width = 1;
    height = 1;
    private home: Pick<Camera, "target" | "distance" | "azimuth" | "elevation"> = this.state();

    private state() {
        return { target: this.target, distance: this.distance, azimuth: this.azimuth, elevation: this.elevation };
    }

    /** As the scene says, or so that all of it is seen. */
    frame(scene: Scene): void {
        this.is2d = scene.dimension === 2;
        const middle = scale(0.5, add(scene.lower, scene.upper)),
            size = sub(scene.upper, scene.lower);
        const radius = Math.max(0.5 * length(size), 4 * scene.spacing);
        this.fov = (scene.camera.fov * Math.PI) / 180;
        this.target = middle;
        ((this.azimuth = 0.6), (this.elevation = 0.35));
        this.distance = this.is2d
            ? Math.max(0.55 * size[1], (0.55 * size[0] * this.height) / this.width)
            : radius / Math.sin(this.fov / 2);
        if (scene.camera.set) {
            const away = sub(scene.camera.from, scene.camera.to);
            this.target = scene.camera.to;
            const far = length(away);
            if (this.is2d) {
                this.distance = Math.max(far * Math.tan(this.fov / 2), (0.5 * size[0] * this.height) / this.width);
            } else {
                this.distance = far * Math.max(1, (0.9 * this.height) / this.width);
                this.azimuth = Math.atan2(away[0], away[2]);
                this.elevation = Math.asin(clamp(away[1] / (far || 1), -1, 1));
            }
        }
        this.home = this.state();
    }

    goHome(): void {
        Object.assign(this, this.home);
    }

    place(): Vec3 {
        if (this.is2d) return [this.target[0], this.target[1], 10];
        const c = Math.cos(this.elevation);
        return add(
            this.target,
            scale(this.distance, [c * Math.sin(this.azimuth), Math.sin(this.elevation), c * Math.cos(this.azimuth)]),
        );
    }

    view(): Mat4 {
        return lookAt(this.place(), this.is2d ? [this.target[0], this.target[1], 0] : this.target, [0, 1, 0]);
    }

    projection(): Mat4 {
        const aspect = this.width / this.height;
        if (this.is2d) return orthographic(this.distance * aspect, this.distance, 1, 20);
        return perspective(this.fov, aspect, 0.01 * this.distance, 50 * this.distance);
    }

    /** Pixels per metre at a distance of 1 m (2D: at any). */
    pixelScale(): number {
        return this.is2d ? (0.5 * this.height) / this.distance : (0.5 * this.height) / Math.tan(this.fov / 2);
    }

    orbit(dx: number, dy: number): void {
        if (this.is2d) return this.pan(dx, dy);
        this.azimuth -= (dx * 5) / this.height;
        this.elevation = clamp(this.elevation + (dy * 5) / this.height, -1.55, 1.55);
    }

    pan(dx: number, dy: number): void {
        const perPixel = this.is2d
            ? (2 * this.distance) / this.height
            : (2 * this.distance * Math.tan(this.fov / 2)) / this.height;
        const [right, up] = this.axes();
        this.target = add(this.target, add(scale(-dx * perPixel, right), scale(dy * perPixel, up)));
    }

    zoom(factor: number): void {
        this.distance = clamp(this.distance * factor, 1e-4, 1e5);
    }

    axes(): [Vec3, Vec3, Vec3] {
        const forward = this.is2d ? ([0, 0, -1] as Vec3) : normalize(sub(this.target, this.place()));
        const right = normalize(cross(forward, [0, 1, 0]));
        return [right, cross(right, forward), forward];
    }

    /** The ray through a pixel of the page. */
    ray(x: number, y: number): { from: Vec3; direction: Vec3 } {
        const u = (2 * x) / this.width - 1,
            v = 1 - (2 * y) / this.height,
            aspect = this.width / this.height;
        const [right, up, forward] = this.axes();
        if (this.is2d) {
            return {
                from: [this.target[0] + u * this.distance * aspect, this.target[1] + v * this.distance, 10],
                direction: [0, 0, -1],
            };
        }
        const t = Math.tan(this.fov / 2);
        return { from: this.place(), direction: normalize(add(forward, add(scale(u * t * aspect, right), scale(v * t, up)))) };
    }

    /** The point under a pixel in the plane through `through` that faces the camera. */
    point(x: number, y: number, through: Vec3 = this.target): Vec3 {
        const ray = this.ray(x, y),
            forward = this.axes()[2];
        const t = dot(sub(this.is2d ? [0, 0, 0] : through, ray.from), forward) / dot(ray.direction, forward);
        return add(ray.from, scale(t, ray.direction));
    }

    /** Where a point of the world is on the page [px]. */
    project(p: Vec3): [number, number] {
        const m = multiply(this.projection(), this.view());
        const q = [0, 1, 2, 3].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
        return [((q[0] / q[3] + 1) / 2) * this.width, ((1 - q[1] / q[3]) / 2) * this.height];
    }
}
