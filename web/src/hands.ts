// What the pointer does: look around, or act on the world with one of the tools. Two fingers always look around.
import type { Camera } from "./camera";
import { make } from "./dom";
import type { Link } from "./link";
import { add, cross, dot, length, scale, sub, unrotate, normalize } from "./maths";
import { Ask, type Frame, type Mesh, type Pose, type Scene, type Vec3 } from "./protocol";
import type { Stage } from "./stage";

export type Tool = "look" | "pour" | "grab" | "push" | "drag" | "drop" | "draw" | "cut" | "tilt" | "inspect" | "remove";

export const TOOLS: { tool: Tool; help: string }[] = [
    { tool: "look", help: "Look around: drag turns, right button or two fingers move, wheel zooms" },
    { tool: "pour", help: "Pour: a jet at the pointer" },
    { tool: "grab", help: "Grab the fluid" },
    { tool: "push", help: "Push the fluid away" },
    { tool: "drag", help: "Drag free bodies and solids" },
    { tool: "drop", help: "Drop a shape" },
    { tool: "draw", help: "Draw a polygon that becomes a body (2D)" },
    { tool: "cut", help: "Cut a box of fluid away" },
    { tool: "tilt", help: "Tilt gravity: drag from where it acts to where it points" },
    { tool: "inspect", help: "Inspect a particle or body" },
    { tool: "remove", help: "Remove a body" },
];

export interface Hit {
    pose: Pose;
    mesh: Mesh;
    point: Vec3;
    distance: number;
}

export class Hands {
    tool: Tool = "look";
    readonly settings = { material: 0, speed: 1, radius: 4, strength: 60, shape: 0, matter: 0, size: 8, density: 500 };
    private scene: Scene | null = null;
    private pointers = new Map<number, { x: number; y: number }>();
    private isActing = false;
    private start: Vec3 = [0, 0, 0];
    private dragged: { pose: Pose; local: Vec3; depth: Vec3 } | null = null;
    private pulled: { key: number; point: number; depth: Vec3 } | null = null; // a deformable solid
    private path: Vec3[] = [];
    private lastSent = 0;

    constructor(
        private canvas: HTMLCanvasElement,
        private link: Link,
        private camera: Camera,
        private stage: Stage,
        private frame: () => Frame | null,
        private report: (text: string) => void,
    ) {
        canvas.addEventListener("pointerdown", (event) => this.down(event));
        canvas.addEventListener("pointermove", (event) => this.move(event));
        for (const name of ["pointerup", "pointercancel"] as const) canvas.addEventListener(name, (event) => this.up(event));
        canvas.addEventListener("contextmenu", (event) => event.preventDefault());
        canvas.addEventListener(
            "wheel",
            (event) => {
                event.preventDefault();
                camera.zoom(Math.exp(event.deltaY * 0.001));
            },
            { passive: false },
        );
    }

    setScene(scene: Scene): void {
        this.scene = scene;
        this.stop();
        this.settings.material = Math.min(this.settings.material, Math.max(0, scene.materials.length - 1));
        this.settings.matter = Math.min(this.settings.matter, scene.materials.length);
    }

    // --- Pointers ---

    private place(event: PointerEvent): { x: number; y: number } {
        const box = this.canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    }

    private down(event: PointerEvent): void {
        this.canvas.setPointerCapture(event.pointerId);
        const at = this.place(event);
        this.pointers.set(event.pointerId, at);
        if (this.pointers.size > 1) {
            this.stop();
            return;
        }
        if (event.button === 0 && this.tool !== "look") this.begin(at.x, at.y);
    }

    private move(event: PointerEvent): void {
        const old = this.pointers.get(event.pointerId),
            at = this.place(event);
        if (!old) return;
        if (this.isActing) {
            this.go(at.x, at.y);
        } else if (this.pointers.size === 2) {
            const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)![1];
            const before = Math.hypot(old.x - other.x, old.y - other.y),
                after = Math.hypot(at.x - other.x, at.y - other.y);
            if (after > 0) this.camera.zoom(before / after);
            this.camera.pan(0.5 * (at.x - old.x), 0.5 * (at.y - old.y));
        } else if (event.buttons & 2 || event.shiftKey) {
            this.camera.pan(at.x - old.x, at.y - old.y);
        } else if (this.tool === "look") {
            this.camera.orbit(at.x - old.x, at.y - old.y);
        }
        this.pointers.set(event.pointerId, at);
    }

    private up(event: PointerEvent): void {
        const at = this.place(event);
        if (this.isActing) this.end(at.x, at.y);
        this.pointers.delete(event.pointerId);
    }

    /** Lets go of everything. */
    stop(): void {
        if (this.isActing) this.end(0, 0, true);
        this.isActing = false;
    }

    // --- Acting ---

    private begin(x: number, y: number): void {
        if (!this.scene || this.scene.source !== "live") {
            if (this.tool === "inspect") this.inspect(x, y);
            return;
        }
        this.isActing = true;
        this.start = this.camera.point(x, y, this.nearestDepth(x, y));
        this.path = [this.start];
        if (this.tool === "drag") {
            const hit = this.pick(x, y),
                solid = this.pickSolid(x, y);
            const isSolid = solid && (!hit || solid.distance <= hit.distance);
            this.pulled = isSolid ? solid : null;
            this.dragged =
                hit && !isSolid
                    ? {
                          pose: hit.pose,
                          local: unrotate(hit.pose.rotation, sub(hit.point, hit.pose.position)),
                          depth: hit.point,
                      }
                    : null;
            if (!hit && !solid) this.report("There is no body here.");
        }
        if (this.tool === "inspect") this.inspect(x, y);
        if (this.tool === "remove") this.remove(x, y);
        if (this.tool === "drop") this.drop(this.start);
        this.lastSent = 0;
        this.go(x, y);
    }

    private go(x: number, y: number): void {
        const now = performance.now(),
            point = this.camera.point(x, y, this.start);
        if (this.tool === "draw" && length(sub(point, this.path.at(-1)!)) > 1.5 * this.scene!.spacing) this.path.push(point);
        if (this.tool === "draw") this.stage.outline = this.path;
        if (this.tool === "cut") this.stage.outline = this.cutCorners(point);
        if (this.tool === "tilt") this.stage.arrows = [{ from: this.start, to: point, color: [1, 0.6, 0.1] }];
        if (now - this.lastSent < 15) return;
        this.lastSent = now;
        if (this.tool === "pour") this.pour(true, point);
        if (this.tool === "grab" || this.tool === "push") this.grab(true, point);
        if (this.tool === "drag" && this.dragged) this.drag(true, this.camera.point(x, y, this.dragged.depth));
        if (this.tool === "drag" && this.pulled) this.pull(true, this.camera.point(x, y, this.pulled.depth));
    }

    private end(x: number, y: number, isStopped = false): void {
        const point = this.camera.point(x, y, this.start);
        this.isActing = false;
        this.stage.outline = [];
        if (this.tool === "pour") this.pour(false, point);
        if (this.tool === "grab" || this.tool === "push") this.grab(false, point);
        if (this.tool === "drag" && this.dragged) this.drag(false, point);
        if (this.tool === "drag" && this.pulled) this.pull(false, point);
        if (this.tool === "tilt") this.stage.arrows = [];
        this.dragged = this.pulled = null;
        if (isStopped) return;
        if (this.tool === "tilt") this.tilt(point);
        if (this.tool === "cut") this.cut(point);
        if (this.tool === "draw") this.drawn();
    }

    private pour(isOn: boolean, point: Vec3): void {
        const s = this.settings;
        this.link.tell(Ask.Pour, (m) =>
            m
                .u8(isOn ? 1 : 0)
                .u8(s.material)
                .vec3(point)
                .vec3(this.downward())
                .f32(s.speed)
                .f32(0.5 * s.radius * this.scene!.spacing),
        );
    }

    private downward(): Vec3 {
        const gravity = this.scene!.groups[1]?.params.find((p) => p.name === "gravity")
            ?.value.split(",")
            .map(Number) as Vec3 | undefined;
        return gravity && length(gravity) > 0 ? normalize(gravity) : [0, -1, 0];
    }

    private grab(isOn: boolean, point: Vec3): void {
        const sign = this.tool === "push" ? -1 : 1;
        this.link.tell(Ask.Grab, (m) =>
            m
                .u8(isOn ? 1 : 0)
                .vec3(point)
                .f32(2 * this.settings.radius * this.scene!.spacing)
                .f32(sign * this.settings.strength),
        );
    }

    private drag(isOn: boolean, target: Vec3): void {
        const { pose, local } = this.dragged!;
        this.link.tell(Ask.Drag, (m) =>
            m
                .u8(isOn ? 1 : 0)
                .u16(Math.floor(pose.key / 65536))
                .u16(pose.key % 65536)
                .vec3(local)
                .vec3(target),
        );
    }

    private pull(isOn: boolean, target: Vec3): void {
        const { key, point } = this.pulled!;
        this.link.tell(Ask.DragSolid, (m) =>
            m
                .u8(isOn ? 1 : 0)
                .u16(Math.floor(key / 65536))
                .u16(key % 65536)
                .u32(point)
                .vec3(target),
        );
    }

    private drop(point: Vec3): void {
        const s = this.settings;
        void this.ask(Ask.Drop, (m) =>
            m
                .u8(s.shape)
                .u8(s.matter)
                .vec3(point)
                .f32(s.size * this.scene!.spacing)
                .f32(s.density)
                .u8(0),
        );
    }

    // Corners that say something: at most 64, by dropping every other one until they fit.
    private drawn(): void {
        if (this.path.length < 3) return this.report("Draw once around.");
        let points = this.path;
        while (points.length > 60) points = points.filter((_, i) => i % 2 === 0);
        const middle = scale(1 / points.length, points.reduce(add, [0, 0, 0] as Vec3));
        void this.ask(Ask.Drop, (m) => {
            m.u8(2)
                .u8(this.settings.matter)
                .vec3(middle)
                .f32(this.settings.size * this.scene!.spacing)
                .f32(this.settings.density)
                .u8(points.length);
            for (const p of points) m.f32(p[0] - middle[0]).f32(p[1] - middle[1]);
        });
    }

    private cutCorners(point: Vec3): Vec3[] {
        const [right, up] = this.camera.axes(),
            away = sub(point, this.start);
        const x = scale(dot(away, right), right),
            y = scale(dot(away, up), up);
        return [this.start, add(this.start, x), point, add(this.start, y)];
    }

    // The box around what was drawn, as deep as the scene.
    private cut(point: Vec3): void {
        const corners = this.cutCorners(point),
            forward = this.camera.axes()[2],
            scene = this.scene!;
        const deep = this.camera.is2d ? 0 : 0.5 * length(sub(scene.upper, scene.lower));
        const all = corners.flatMap((c) => [add(c, scale(deep, forward)), sub(c, scale(deep, forward))]);
        const lower = [0, 1, 2].map((a) => Math.min(...all.map((p) => p[a]))) as Vec3;
        const upper = [0, 1, 2].map((a) => Math.max(...all.map((p) => p[a]))) as Vec3;
        if (upper[0] - lower[0] < 1e-6 || upper[1] - lower[1] < 1e-6) return;
        void this.ask(Ask.Cut, (m) => m.vec3(lower).vec3(upper));
    }

    // As strong as before, in the direction that was drawn.
    private tilt(point: Vec3): void {
        const away = sub(point, this.start);
        if (length(away) < this.scene!.spacing) return;
        const value = this.scene!.groups[1].params.find((p) => p.name === "gravity")!;
        const strength = length(value.value.split(",").map(Number) as Vec3) || 9.81;
        const g = scale(strength, normalize(away));
        void this.ask(Ask.Set, (m) =>
            m
                .u8(1)
                .text("gravity")
                .text(g.map((x) => x.toPrecision(5)).join(",")),
        );
    }

    private inspect(x: number, y: number): void {
        const hit = this.pick(x, y),
            particle = this.nearest(x, y);
        const isBody = hit && (!particle || hit.distance < particle.distance);
        void this.ask(Ask.Inspect, (m) => {
            if (isBody)
                m.u8(2)
                    .u16(Math.floor(hit.pose.key / 65536))
                    .u16(hit.pose.key % 65536);
            else if (particle) m.u8(1).vec3(particle.point);
            else m.u8(0);
        });
    }

    private remove(x: number, y: number): void {
        const hit = this.pick(x, y);
        if (!hit) return this.report("There is no body here.");
        void this.ask(Ask.Remove, (m) => m.u16(Math.floor(hit.pose.key / 65536)).u16(hit.pose.key % 65536));
    }

    private async ask(type: number, fill: Parameters<Link["ask"]>[1]): Promise<void> {
        const answer = await this.link.ask(type, fill);
        if (!answer.good) this.report(answer.text);
    }

    // --- What is under the pointer ---

    /** The nearest body. */
    pick(x: number, y: number): Hit | null {
        const ray = this.camera.ray(x, y);
        let best: Hit | null = null;
        for (const pose of this.frame()?.bodies ?? []) {
            const mesh = this.stage.meshOf(pose.key);
            if (!mesh || (mesh.isEndless && this.tool === "drag")) continue;
            const from = unrotate(pose.rotation, sub(ray.from, pose.position)),
                direction = unrotate(pose.rotation, ray.direction);
            const t = mesh.dimension === 2 ? hitOutline(mesh, from) : hitMesh(mesh, from, direction);
            if (t === null || (best && (t > best.distance || (mesh.dimension === 2 && !mesh.isFree)))) continue;
            const point = add(ray.from, scale(t, ray.direction));
            best = { pose, mesh, point: this.camera.is2d ? [point[0], point[1], 0] : point, distance: t };
        }
        return best;
    }

    /** The point of a deformable solid that is next to where the pointer meets it. */
    private pickSolid(x: number, y: number): { key: number; point: number; depth: Vec3; distance: number } | null {
        const ray = this.camera.ray(x, y);
        let best: { key: number; point: number; depth: Vec3; distance: number } | null = null;
        for (const { key, points } of this.frame()?.solids ?? []) {
            const solid = this.stage.solidOf(key),
                t = solid ? hitMesh({ vertices: points, indices: solid.indices }, ray.from, ray.direction) : null;
            if (!solid || t === null || (best && best.distance <= t)) continue;
            const at = add(ray.from, scale(t, ray.direction)),
                away = (i: number): number =>
                    Math.hypot(points[3 * i] - at[0], points[3 * i + 1] - at[1], points[3 * i + 2] - at[2]);
            const point = solid.indices.reduce((near, i) => (away(i) < away(near) ? i : near), solid.indices[0]);
            best = { key, point, depth: at, distance: t };
        }
        return best;
    }

    private nearest(x: number, y: number): { point: Vec3; distance: number } | null {
        const frame = this.frame(),
            ray = this.camera.ray(x, y);
        if (!frame) return null;
        const shorts = new Uint16Array(frame.particles.slice().buffer),
            reach = (0.8 * this.scene!.spacing) ** 2;
        let best: { point: Vec3; distance: number } | null = null;
        for (let i = 0; i < frame.count; ++i) {
            const p: Vec3 = [0, 1, 2].map((a) => frame.lower[a] + (frame.size[a] * shorts[4 * i + a]) / 65535) as Vec3;
            const away = sub(p, ray.from),
                t = dot(away, ray.direction),
                off = dot(away, away) - t * t;
            if (off < reach && t > 0 && (!best || t < best.distance)) best = { point: p, distance: t };
        }
        return best;
    }

    // A jet or a grip begins at the depth of the fluid under the pointer, or else of the target.
    private nearestDepth(x: number, y: number): Vec3 {
        if (this.tool !== "grab" && this.tool !== "push") return this.camera.target;
        return this.nearest(x, y)?.point ?? this.camera.target;
    }

    // --- Settings of the tool ---

    options(): HTMLElement | null {
        const s = this.settings,
            scene = this.scene,
            root = make("div", { id: "tool-options" });
        const range = (
            label: string,
            key: "speed" | "radius" | "strength" | "size" | "density",
            min: number,
            max: number,
            step: number,
        ): void => {
            const value = make("output", {}, String(s[key]));
            root.append(
                make(
                    "label",
                    {},
                    `${label} `,
                    value,
                    make("input", {
                        type: "range",
                        min: String(min),
                        max: String(max),
                        step: String(step),
                        value: String(s[key]),
                        "aria-label": label,
                        oninput: (event: Event) => {
                            s[key] = Number((event.target as HTMLInputElement).value);
                            value.textContent = String(s[key]);
                        },
                    }),
                ),
            );
        };
        const choice = (label: string, key: "material" | "shape" | "matter", names: string[]): void => {
            const select = make("select", {
                "aria-label": label,
                onchange: () => {
                    s[key] = Number(select.value);
                },
            });
            names.forEach((name, i) => select.append(make("option", { value: String(i) }, name)));
            select.value = String(s[key]);
            root.append(make("label", {}, label, select));
        };
        const materials = scene?.materials.map((m) => m.name) ?? [];
        if (this.tool === "pour")
            (choice("material", "material", materials),
                range("speed [m/s]", "speed", 0.1, 10, 0.1),
                range("width [spacings]", "radius", 3, 20, 1));
        if (this.tool === "grab" || this.tool === "push")
            (range("reach [spacings]", "radius", 3, 20, 1), range("strength [m/s²]", "strength", 5, 500, 5));
        if (this.tool === "drop") choice("shape", "shape", ["sphere", "box"]);
        if (this.tool === "drop" || this.tool === "draw")
            (choice("of", "matter", ["a body", ...materials]), range("density [kg/m³]", "density", 50, 8000, 50));
        if (this.tool === "drop") range("size [spacings]", "size", 3, 30, 1);
        return root.childElementCount > 0 ? root : null;
    }
}

// --- Rays ---

// Where the ray meets the nearest triangle (Moeller and Trumbore, 1997).
function hitMesh(mesh: Pick<Mesh, "vertices" | "indices">, from: Vec3, direction: Vec3): number | null {
    let best: number | null = null;
    const v = mesh.vertices,
        point = (i: number): Vec3 => [v[3 * i], v[3 * i + 1], v[3 * i + 2]];
    for (let f = 0; f < mesh.indices.length; f += 3) {
        const a = point(mesh.indices[f]),
            ab = sub(point(mesh.indices[f + 1]), a),
            ac = sub(point(mesh.indices[f + 2]), a);
        const p = cross(direction, ac),
            det = dot(ab, p);
        if (Math.abs(det) < 1e-20) continue;
        const s = sub(from, a),
            u = dot(s, p) / det;
        if (u < 0 || u > 1) continue;
        const q = cross(s, ab),
            w = dot(direction, q) / det;
        if (w < 0 || u + w > 1) continue;
        const t = dot(ac, q) / det;
        if (t > 0 && (best === null || t < best)) best = t;
    }
    return best;
}

// Inside of a 2D outline: an odd number of segments lies to the right.
function hitOutline(mesh: Mesh, p: Vec3): number | null {
    const v = mesh.vertices;
    let isInside = false;
    for (let i = 0; i < mesh.indices.length; i += 2) {
        const a = 3 * mesh.indices[i],
            b = 3 * mesh.indices[i + 1];
        if (v[a + 1] > p[1] !== v[b + 1] > p[1] && p[0] < v[a] + ((p[1] - v[a + 1]) / (v[b + 1] - v[a + 1])) * (v[b] - v[a]))
            isInside = !isInside;
    }
    return isInside ? 10 : null;
}
