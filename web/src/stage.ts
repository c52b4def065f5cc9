// Draws frames with WebGL2: particles as lit spheres, or as one surface in screen space; bodies as meshes. In 2D discs and filled
// outlines.
//
// The surface (van der Laan and others, 2009): depths of the spheres, smoothed by a bilateral filter, give normals; their summed
// thickness dims the light as each material absorbs it; what is behind is bent by the normals.
import type { Camera } from "./camera";
import { cross, dot, fromPose, multiply, normalize, sub, type Mat4 } from "./maths";
import type { Frame, Mesh, Pose, Scene, Solid, Vec3 } from "./protocol";
import { SHADERS } from "./shaders";
import { Solids } from "./solids";

interface Program {
    program: WebGLProgram;
    at: (name: string) => WebGLUniformLocation | null;
}
interface Drawn {
    mesh: Mesh;
    array: WebGLVertexArrayObject;
    buffers: WebGLBuffer[];
    count: number;
    cover: WebGLVertexArrayObject | null;
}
interface Target {
    framebuffer: WebGLFramebuffer;
    textures: WebGLTexture[];
}

// From the finest to the coarsest: cheaper shading, then fewer pixels.
const LEVELS = [
    { isPlain: false, detail: 1 },
    { isPlain: true, detail: 1 },
    { isPlain: true, detail: 0.75 },
    { isPlain: true, detail: 0.5 },
];

const IDENTITY: Mat4 = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

export class Stage {
    readonly gl: WebGL2RenderingContext;
    isSurface = false;
    canSurface: boolean;
    arrows: { from: Vec3; to: Vec3; color: Vec3 }[] = [];
    outline: Vec3[] = [];
    private programs = new Map<string, Program>();
    private particleArray: WebGLVertexArrayObject;
    private particleBuffer: WebGLBuffer;
    private lineArray: WebGLVertexArrayObject;
    private lineBuffer: WebGLBuffer;
    private emptyArray: WebGLVertexArrayObject;
    private drawn = new Map<number, Drawn>();
    private targets: Record<string, Target> = {};
    private targetSize = "";
    private solids: Solids;
    private scene: Scene | null = null;
    private uploaded = -1;
    private order = new Uint32Array(0);
    private drawnCount = 0;
    private level = 0; // of LEVELS
    private least = 0; // level that this machine bears
    private isFiner = false; // it came from a coarser one
    private mean = 30; // time between pictures [ms]
    private pictures = 0; // at this level
    private lastTime = 0;
    private hasDrawn = false; // at lastTime
    private shown = ""; // what the picture stands for
    private changes = 0; // of meshes
    private slices = new Uint16Array(0);
    private covered = new Uint8Array(0);
    private orderBuffer: WebGLBuffer;

    constructor(private canvas: HTMLCanvasElement) {
        const gl = canvas.getContext("webgl2", { antialias: false, stencil: true, alpha: false, preserveDrawingBuffer: true });
        if (!gl) throw new Error("This browser has no WebGL 2.");
        this.gl = gl;
        const info = gl.getExtension("WEBGL_debug_renderer_info"),
            renderer = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
        this.least = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer) ? 1 : 0;
        this.level = this.least;
        this.canSurface = gl.getExtension("EXT_color_buffer_float") !== null && gl.getExtension("EXT_float_blend") !== null;
        this.particleArray = gl.createVertexArray()!;
        this.particleBuffer = gl.createBuffer()!;
        gl.bindVertexArray(this.particleArray);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.particleBuffer);
        gl.enableVertexAttribArray(0);
        gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, true, 8, 0);
        gl.enableVertexAttribArray(1);
        gl.vertexAttribPointer(1, 1, gl.UNSIGNED_BYTE, false, 8, 6);
        gl.enableVertexAttribArray(2);
        gl.vertexAttribPointer(2, 1, gl.UNSIGNED_BYTE, true, 8, 7);
        this.lineArray = gl.createVertexArray()!;
        this.lineBuffer = gl.createBuffer()!;
        gl.bindVertexArray(this.lineArray);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
        gl.enableVertexAttribArray(0);
        gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
        this.orderBuffer = gl.createBuffer()!;
        this.solids = new Solids(gl);
        this.emptyArray = gl.createVertexArray()!;
        gl.bindVertexArray(null);
    }

    setScene(scene: Scene): void {
        for (const drawn of this.drawn.values()) this.free(drawn);
        this.drawn.clear();
        this.solids.clear();
        this.scene = scene;
        this.uploaded = -1;
        this.changes += 1;
    }

    // --- Programs ---

    private use(name: Exclude<keyof typeof SHADERS, "quad">): Program {
        const gl = this.gl;
        let found = this.programs.get(name);
        if (!found) {
            const source = SHADERS[name],
                [vertex, fragment] = typeof source === "string" ? [SHADERS.quad, source] : source;
            const program = gl.createProgram()!;
            for (const [kind, text] of [
                [gl.VERTEX_SHADER, vertex],
                [gl.FRAGMENT_SHADER, fragment],
            ] as const) {
                const shader = gl.createShader(kind)!;
                gl.shaderSource(shader, text);
                gl.compileShader(shader);
                if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
                    throw new Error(`${name}: ${gl.getShaderInfoLog(shader)}`);
                gl.attachShader(program, shader);
            }
            gl.linkProgram(program);
            if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`${name}: ${gl.getProgramInfoLog(program)}`);
            const places = new Map<string, WebGLUniformLocation | null>();
            found = {
                program,
                at: (uniform) => {
                    if (!places.has(uniform)) places.set(uniform, gl.getUniformLocation(program, uniform));
                    return places.get(uniform)!;
                },
            };
            this.programs.set(name, found);
        }
        gl.useProgram(found.program);
        return found;
    }

    // --- Bodies ---

    private free(drawn: Drawn): void {
        this.gl.deleteVertexArray(drawn.array);
        if (drawn.cover) this.gl.deleteVertexArray(drawn.cover);
        for (const buffer of drawn.buffers) this.gl.deleteBuffer(buffer);
    }

    private makeArray(data: Float32Array, normals: Float32Array | null, buffers: WebGLBuffer[]): WebGLVertexArrayObject {
        const gl = this.gl,
            array = gl.createVertexArray()!;
        gl.bindVertexArray(array);
        [data, normals].forEach((values, i) => {
            if (!values) return;
            const buffer = gl.createBuffer()!;
            buffers.push(buffer);
            gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
            gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
            gl.enableVertexAttribArray(i);
            gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 12, 0);
        });
        gl.bindVertexArray(null);
        return array;
    }

    addMesh(mesh: Mesh): void {
        const old = this.drawn.get(mesh.key),
            buffers: WebGLBuffer[] = [];
        if (old) this.free(old);
        this.changes += 1;
        if (mesh.dimension === 2) {
            const [fan, cover] = fillOutline(mesh);
            const array = this.makeArray(fan, null, buffers);
            this.drawn.set(mesh.key, {
                mesh,
                array,
                buffers,
                count: fan.length / 3,
                cover: this.makeArray(cover, null, buffers),
            });
            return;
        }
        const [places, normals] = smoothNormals(mesh);
        const array = this.makeArray(places, normals, buffers);
        this.drawn.set(mesh.key, { mesh, array, buffers, count: places.length / 3, cover: null });
    }

    addSolid(solid: Solid): void {
        this.solids.add(solid);
        this.changes += 1;
    }
    solidOf(key: number): Solid | undefined {
        return this.solids.get(key);
    }

    meshOf(key: number): Mesh | undefined {
        return this.drawn.get(key)?.mesh;
    }
    meshes(): Mesh[] {
        return [...this.drawn.values()].map((drawn) => drawn.mesh);
    }

    // --- Drawing ---

    private theme(): { sky: Vec3; ground: Vec3; clear: Vec3 } {
        const isDark = document.documentElement.dataset.theme !== "light";
        return isDark
            ? { sky: [0.42, 0.46, 0.52], ground: [0.13, 0.12, 0.12], clear: [0.063, 0.071, 0.086] }
            : { sky: [0.62, 0.66, 0.72], ground: [0.3, 0.28, 0.27], clear: [0.933, 0.945, 0.957] };
    }

    private setCommon(p: Program, camera: Camera): void {
        const gl = this.gl,
            theme = this.theme();
        gl.uniformMatrix4fv(p.at("uView"), false, camera.view());
        gl.uniformMatrix4fv(p.at("uProjection"), false, camera.projection());
        gl.uniform3fv(p.at("uSky"), theme.sky);
        gl.uniform3fv(p.at("uGround"), theme.ground);
    }

    private drawParticles(
        name: "sphere" | "plainSphere" | "depth" | "thickness",
        frame: Frame,
        camera: Camera,
        radius: number,
    ): void {
        const gl = this.gl,
            p = this.use(name),
            scene = this.scene!;
        this.setCommon(p, camera);
        gl.uniform3fv(p.at("uLower"), frame.lower);
        gl.uniform3fv(p.at("uSize"), frame.size);
        gl.uniform1f(p.at("uRadius"), radius);
        gl.uniform1f(p.at("uPixels"), camera.pixelScale() * (gl.drawingBufferHeight / camera.height));
        gl.uniform1i(p.at("uColoring"), frame.color);
        gl.uniform1i(p.at("uIsFlat"), camera.is2d ? 1 : 0);
        const colors = new Float32Array(128),
            absorption = new Float32Array(96);
        scene.materials.slice(0, 32).forEach((m, i) => {
            colors.set([...m.color, m.opacity], 4 * i);
            absorption.set(m.absorption, 3 * i);
        });
        gl.uniform4fv(p.at("uMaterials"), colors);
        gl.uniform3fv(p.at("uAbsorption"), absorption);
        const m = camera.view(),
            theme = this.theme(),
            toEye = (v: Vec3): Vec3 => [0, 1, 2].map((r) => m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2]) as Vec3;
        const sun = toEye(normalize([0.45, 0.8, 0.4]));
        gl.uniform3fv(p.at("uSunEye"), sun);
        gl.uniform3fv(p.at("uHalfEye"), normalize([sun[0], sun[1], sun[2] + 1]));
        gl.uniform3fv(p.at("uUpEye"), toEye([0, 1, 0]));
        // Plain: sky and ground as one grey, and its slope along the vertical.
        const [sky, ground] = [theme.sky, theme.ground].map((c) => (c[0] + c[1] + c[2]) / 3),
            up = toEye([0, 1, 0]);
        gl.uniform1f(p.at("uAmbient"), 0.5 * (sky + ground));
        gl.uniform3fv(
            p.at("uLight"),
            sun.map((s, a) => 0.75 * s + 0.5 * (sky - ground) * up[a]),
        );
        gl.bindVertexArray(this.particleArray);
        if (camera.is2d || name === "thickness") gl.drawArrays(gl.POINTS, 0, frame.count);
        else gl.drawElements(gl.POINTS, this.drawnCount, gl.UNSIGNED_INT, 0);
        gl.bindVertexArray(null);
    }

    // The nearest first, so that what they hide is never shaded: of a block of 19 000 that is most. Sorted into 1024 slices.
    private sortParticles(frame: Frame, camera: Camera): void {
        const gl = this.gl,
            forward = camera.axes()[2],
            shorts = new Uint16Array(frame.particles.buffer, frame.particles.byteOffset, 4 * frame.count);
        const weight = forward.map((f, a) => (f * frame.size[a]) / 65535);
        const low = weight.reduce((sum, w) => sum + Math.min(w, 0) * 65535, 0);
        const high = weight.reduce((sum, w) => sum + Math.max(w, 0) * 65535, 0);
        const factor = 1023 / (high - low || 1),
            starts = new Uint32Array(1025);
        if (this.order.length < frame.count) {
            this.order = new Uint32Array(2 * frame.count);
            this.slices = new Uint16Array(2 * frame.count);
        }
        for (let i = 0, k = 0; i < frame.count; ++i, k += 4) {
            const depth = weight[0] * shorts[k] + weight[1] * shorts[k + 1] + weight[2] * shorts[k + 2];
            const slice = ((depth - low) * factor) | 0;
            this.slices[i] = slice;
            ++starts[slice + 1];
        }
        for (let s = 0; s < 1024; ++s) starts[s + 1] += starts[s];
        for (let i = 0; i < frame.count; ++i) this.order[starts[this.slices[i]]++] = i;
        this.drawnCount = this.isSurface ? frame.count : this.dropHidden(frame, camera, shorts);
        gl.bindVertexArray(this.particleArray);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.orderBuffer);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, this.order.subarray(0, this.drawnCount), gl.STREAM_DRAW);
        gl.bindVertexArray(null);
    }

    // Spheres that nearer ones hide, looked at in cells of a fifth of a diameter, are not drawn: of a block of 20 000 three of four.
    // Software GL takes 2 microseconds for every point, hidden or not. A sphere hides a little less than it covers, so that no gap
    // between two shows what is not drawn.
    private dropHidden(frame: Frame, camera: Camera, shorts: Uint16Array): number {
        const m = multiply(camera.projection(), camera.view());
        const toW = (x: number, y: number, z: number): number => m[3] * x + m[7] * y + m[11] * z + m[15];
        const [cx, cy, cz] = frame.lower.map((low, a) => low + 0.5 * frame.size[a]);
        const size = 0.5 * this.scene!.spacing * camera.pixelScale(); // radius [px] at 1 m
        const cell = Math.max((0.4 * size) / Math.max(toW(cx, cy, cz), 1e-6), 1);
        const scale = frame.size.map((s) => s / 65535),
            columns = Math.ceil(camera.width / cell),
            rows = Math.ceil(camera.height / cell);
        if (this.covered.length < columns * rows) this.covered = new Uint8Array(columns * rows);
        const covered = this.covered.fill(0, 0, columns * rows);
        let kept = 0;
        for (let k = 0; k < frame.count; ++k) {
            const i = this.order[k],
                x = frame.lower[0] + scale[0] * shorts[4 * i],
                y = frame.lower[1] + scale[1] * shorts[4 * i + 1],
                z = frame.lower[2] + scale[2] * shorts[4 * i + 2];
            const w = toW(x, y, z);
            if (w <= 0) continue;
            const r = Math.max(size / (w * cell), 0.71), // at least one sample
                column = (0.5 + (0.5 * (m[0] * x + m[4] * y + m[8] * z + m[12])) / w) * (camera.width / cell) - 0.5,
                row = (0.5 + (0.5 * (m[1] * x + m[5] * y + m[9] * z + m[13])) / w) * (camera.height / cell) - 0.5;
            const last = Math.min(Math.floor(row + r), rows - 1),
                hides = 0.7 * r * r;
            let isSeen = false;
            for (let v = Math.max(Math.ceil(row - r), 0); v <= last; ++v) {
                const up = (v - row) * (v - row),
                    half = Math.sqrt(r * r - up),
                    end = Math.min(Math.floor(column + half), columns - 1);
                for (let u = Math.max(Math.ceil(column - half), 0); u <= end; ++u) {
                    if (covered[v * columns + u] === 1) continue;
                    isSeen = true;
                    if (up + (u - column) * (u - column) < hides) covered[v * columns + u] = 1;
                }
            }
            if (isSeen) this.order[kept++] = i;
        }
        return kept;
    }

    private useMesh(camera: Camera): Program {
        const p = this.use(LEVELS[this.level].isPlain ? "plainMesh" : "mesh");
        this.setCommon(p, camera);
        this.gl.uniform3fv(p.at("uEye"), camera.place());
        this.gl.vertexAttrib3f(2, 1, 1, 1);
        return p;
    }

    // Their points are in the world's frame.
    private drawSolids(frame: Frame, camera: Camera): void {
        if (frame.solids.length === 0) return;
        const gl = this.gl,
            p = this.useMesh(camera);
        gl.uniformMatrix4fv(p.at("uModel"), false, IDENTITY);
        gl.uniform1f(p.at("uGrid"), 0);
        this.solids.draw(frame, (opacity) => gl.uniform4f(p.at("uColor"), 1, 1, 1, opacity));
    }

    private drawBody(drawn: Drawn, pose: Pose, camera: Camera): void {
        const gl = this.gl,
            mesh = drawn.mesh,
            p = this.useMesh(camera),
            scene = this.scene!;
        const size = Math.max(...sub(scene.upper, scene.lower), 1e-6); // endless planes end at 1.5 of it
        gl.uniformMatrix4fv(p.at("uModel"), false, fromPose(pose.position, pose.rotation));
        gl.uniform4f(p.at("uColor"), ...mesh.color, mesh.opacity);
        gl.uniform1f(p.at("uGrid"), mesh.isEndless ? 10 ** Math.floor(Math.log10(size / 3)) : 0);
        gl.uniform1f(p.at("uFade"), 1.5 * size);
        gl.uniform3fv(
            p.at("uMiddle"),
            [0, 1, 2].map((a) => 0.5 * (scene.lower[a] + scene.upper[a])),
        );
        gl.bindVertexArray(drawn.array);
        gl.drawArrays(gl.TRIANGLES, 0, drawn.count);
    }

    private drawBodies(frame: Frame, camera: Camera, isClear: boolean): void {
        const gl = this.gl;
        for (const pose of frame.bodies) {
            const drawn = this.drawn.get(pose.key);
            if (!drawn || (drawn.mesh.opacity < 0.99 || drawn.mesh.isEndless) !== isClear) continue;
            if (!isClear) {
                this.drawBody(drawn, pose, camera);
                continue;
            }
            gl.enable(gl.BLEND);
            gl.depthMask(drawn.mesh.isEndless);
            gl.enable(gl.CULL_FACE);
            for (const side of [gl.BACK]) {
                gl.cullFace(side);
                this.drawBody(drawn, pose, camera);
            }
            gl.disable(gl.CULL_FACE);
            gl.depthMask(true);
            gl.disable(gl.BLEND);
        }
        gl.bindVertexArray(null);
    }

    // Inside is where an odd number of triangles of a fan over all segments lies: the stencil counts.
    private drawOutlines(frame: Frame, camera: Camera): void {
        const gl = this.gl,
            p = this.use("plain");
        this.setCommon(p, camera);
        gl.disable(gl.DEPTH_TEST);
        gl.enable(gl.STENCIL_TEST);
        gl.enable(gl.BLEND);
        for (const pose of frame.bodies) {
            const drawn = this.drawn.get(pose.key);
            if (!drawn || !drawn.cover) continue;
            gl.uniformMatrix4fv(p.at("uModel"), false, fromPose(pose.position, pose.rotation));
            gl.uniform4f(p.at("uColor"), ...drawn.mesh.color, Math.max(drawn.mesh.opacity, 0.25));
            gl.colorMask(false, false, false, false);
            gl.stencilFunc(gl.ALWAYS, 0, 1);
            gl.stencilOp(gl.INVERT, gl.INVERT, gl.INVERT);
            gl.bindVertexArray(drawn.array);
            gl.drawArrays(gl.TRIANGLES, 0, drawn.count);
            gl.colorMask(true, true, true, true);
            gl.stencilFunc(gl.EQUAL, 1, 1);
            gl.stencilOp(gl.ZERO, gl.ZERO, gl.ZERO);
            gl.bindVertexArray(drawn.cover);
            gl.drawArrays(gl.TRIANGLES, 0, 6);
            gl.stencilOp(gl.ZERO, gl.ZERO, gl.ZERO);
        }
        gl.bindVertexArray(null);
        gl.disable(gl.STENCIL_TEST);
        gl.disable(gl.BLEND);
        gl.enable(gl.DEPTH_TEST);
    }

    private drawLines(points: number[], color: Vec3, mode: number, camera: Camera): void {
        const gl = this.gl,
            p = this.use("plain");
        this.setCommon(p, camera);
        gl.uniformMatrix4fv(p.at("uModel"), false, IDENTITY);
        gl.uniform4f(p.at("uColor"), ...color, 1);
        gl.bindVertexArray(this.lineArray);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
        gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.DYNAMIC_DRAW);
        gl.drawArrays(mode, 0, points.length / 3);
        gl.bindVertexArray(null);
    }

    private drawMarks(camera: Camera): void {
        const gl = this.gl;
        gl.disable(gl.DEPTH_TEST);
        for (const arrow of this.arrows) {
            const along = sub(arrow.to, arrow.from),
                [right, up] = camera.axes();
            const side = normalize(cross(along, cross(right, up))),
                tip: number[] = [];
            for (const s of [-1, 1])
                tip.push(
                    ...arrow.to,
                    ...arrow.to.map((x, a) => x - 0.25 * along[a] + 0.12 * s * side[a] * Math.hypot(...along)),
                );
            this.drawLines([...arrow.from, ...arrow.to, ...tip], arrow.color, gl.LINES, camera);
        }
        if (this.outline.length > 1) this.drawLines(this.outline.flat(), [0.9, 0.5, 0.1], gl.LINE_LOOP, camera);
        gl.enable(gl.DEPTH_TEST);
    }

    /** Where the machine cannot draw 30 frames a second, the picture gets coarser; where it easily can, finer again. */
    pace(now: number): void {
        const took = now - this.lastTime;
        this.lastTime = now;
        if (!this.hasDrawn) return; // the time went by, it was not needed
        this.mean += 0.1 * (Math.min(took, 500) - this.mean);
        if (++this.pictures > 20 && this.mean > 35 && this.level + 1 < LEVELS.length) {
            if (this.isFiner) this.least = this.level + 1; // it was tried, and was too much
            this.setLevel(this.level + 1, false);
        } else if (this.pictures > 240 && this.mean < 20 && this.level > this.least) {
            this.setLevel(this.level - 1, true);
        }
    }

    private setLevel(level: number, isFiner: boolean): void {
        ((this.level = level), (this.isFiner = isFiner), (this.pictures = 0), (this.mean = 30));
    }

    // All that the picture depends on.
    private describe(frame: Frame | null, camera: Camera): string {
        const look = [...camera.target, camera.distance, camera.azimuth, camera.elevation, camera.fov, camera.is2d];
        const size = [this.canvas.clientWidth, this.canvas.clientHeight, window.devicePixelRatio, this.level];
        const marks = JSON.stringify([this.arrows, this.outline]);
        return [
            this.scene?.serial,
            frame?.sequence,
            this.changes,
            this.isSurface,
            this.theme().clear,
            look,
            size,
            marks,
        ].join();
    }

    /** False when the picture stood already: nobody pays for drawing it again. */
    draw(frame: Frame | null, camera: Camera, isForced = false): boolean {
        const gl = this.gl,
            theme = this.theme(),
            described = this.describe(frame, camera);
        this.hasDrawn = isForced || described !== this.shown;
        if (!this.hasDrawn) return false;
        this.shown = described;
        const ratio = Math.min(window.devicePixelRatio || 1, 2) * LEVELS[this.level].detail;
        const width = Math.round(this.canvas.clientWidth * ratio),
            height = Math.round(this.canvas.clientHeight * ratio);
        if (this.canvas.width !== width || this.canvas.height !== height)
            ((this.canvas.width = width), (this.canvas.height = height));
        ((camera.width = this.canvas.clientWidth || 1), (camera.height = this.canvas.clientHeight || 1));
        if (frame && frame.sequence !== this.uploaded) {
            gl.bindBuffer(gl.ARRAY_BUFFER, this.particleBuffer);
            gl.bufferData(gl.ARRAY_BUFFER, frame.particles, gl.STREAM_DRAW);
            this.uploaded = frame.sequence;
        }
        const isSurface = this.isSurface && this.canSurface && !!this.scene && this.scene.dimension === 3 && frame?.color === 0;
        if (isSurface) this.prepareTargets(width, height);
        gl.bindFramebuffer(gl.FRAMEBUFFER, isSurface ? this.targets.scene.framebuffer : null);
        gl.viewport(0, 0, width, height);
        gl.clearColor(...theme.clear, 1);
        gl.clearStencil(0);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
        if (!frame || !this.scene) return true;
        gl.enable(gl.DEPTH_TEST);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        const radius = (this.scene.dimension === 2 ? 0.55 : 0.5) * this.scene.spacing;
        if (this.scene.dimension === 2) {
            this.drawOutlines(frame, camera);
            this.drawSolids(frame, camera);
            gl.clear(gl.DEPTH_BUFFER_BIT);
            this.drawParticles(LEVELS[this.level].isPlain ? "plainSphere" : "sphere", frame, camera, radius);
        } else {
            this.sortParticles(frame, camera);
            this.drawBodies(frame, camera, false);
            this.drawSolids(frame, camera);
            if (isSurface) {
                this.drawBodies(frame, camera, true);
                this.drawSurface(frame, camera, 1.6 * radius, width, height);
            } else {
                this.drawParticles(LEVELS[this.level].isPlain ? "plainSphere" : "sphere", frame, camera, radius);
                this.drawBodies(frame, camera, true);
            }
        }
        this.drawMarks(camera);
        return true;
    }

    /** Draws it as fine as it can be, for a picture that is kept. */
    drawFinely(frame: Frame | null, camera: Camera): void {
        const level = this.level;
        this.level = 0;
        this.draw(frame, camera, true);
        this.level = level;
        this.shown = "";
    }

    // --- The surface in screen space ---

    private makeTexture(width: number, height: number, format: number): WebGLTexture {
        const gl = this.gl,
            texture = gl.createTexture()!;
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
        const filter = format === gl.RGBA8 ? gl.LINEAR : gl.NEAREST;
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
        return texture;
    }

    private prepareTargets(width: number, height: number): void {
        if (this.targetSize === `${width}x${height}`) return;
        const gl = this.gl;
        for (const target of Object.values(this.targets)) {
            gl.deleteFramebuffer(target.framebuffer);
            for (const texture of target.textures) gl.deleteTexture(texture);
        }
        const make = (format: number, hasDepth: boolean): Target => {
            const textures = [this.makeTexture(width, height, format)],
                framebuffer = gl.createFramebuffer()!;
            gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
            gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, textures[0], 0);
            if (hasDepth) {
                textures.push(this.makeTexture(width, height, gl.DEPTH_COMPONENT24));
                gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, textures[1], 0);
            }
            return { framebuffer, textures };
        };
        this.targets = {
            scene: make(gl.RGBA8, true),
            depth: make(gl.R32F, true),
            smooth: make(gl.R32F, false),
            thickness: make(gl.RGBA16F, false),
        };
        this.targetSize = `${width}x${height}`;
    }

    private bindTextures(p: Program, textures: Record<string, WebGLTexture>): void {
        const gl = this.gl;
        Object.entries(textures).forEach(([name, texture], i) => {
            gl.activeTexture(gl.TEXTURE0 + i);
            gl.bindTexture(gl.TEXTURE_2D, texture);
            gl.uniform1i(p.at(name), i);
        });
    }

    private fill(): void {
        this.gl.bindVertexArray(this.emptyArray);
        this.gl.drawArrays(this.gl.TRIANGLES, 0, 3);
        this.gl.bindVertexArray(null);
    }

    private drawSurface(frame: Frame, camera: Camera, radius: number, width: number, height: number): void {
        const gl = this.gl,
            t = this.targets,
            scene = this.scene!;
        gl.bindFramebuffer(gl.FRAMEBUFFER, t.depth.framebuffer);
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        this.drawParticles("depth", frame, camera, radius);
        gl.bindFramebuffer(gl.FRAMEBUFFER, t.thickness.framebuffer);
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.disable(gl.DEPTH_TEST);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE);
        const spread = 1.3 * scene.spacing,
            thickness = this.use("thickness");
        this.bindTextures(thickness, { uSolidDepth: t.scene.textures[1] });
        gl.uniform1f(thickness.at("uVolume"), (2 * scene.spacing ** 3) / (Math.PI * spread ** 2));
        this.drawParticles("thickness", frame, camera, spread);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.disable(gl.BLEND);
        const smooth = this.use("smooth");
        gl.uniform1f(smooth.at("uReach"), 3 * scene.spacing * camera.pixelScale() * (height / camera.height));
        gl.uniform1f(smooth.at("uRange"), 2 * scene.spacing);
        for (let round = 0; round < 2; ++round) {
            for (const [from, to, step] of [
                ["depth", "smooth", [1, 0]],
                ["smooth", "depth", [0, 1]],
            ] as const) {
                gl.bindFramebuffer(gl.FRAMEBUFFER, t[to].framebuffer);
                this.bindTextures(smooth, { uDepth: t[from].textures[0] });
                gl.uniform2f(smooth.at("uStep"), step[0], step[1]);
                gl.depthMask(false);
                this.fill();
                gl.depthMask(true);
            }
        }
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        const compose = this.use("compose");
        this.setCommon(compose, camera);
        this.bindTextures(compose, {
            uDepth: t.depth.textures[0],
            uThickness: t.thickness.textures[0],
            uScene: t.scene.textures[0],
            uSolidDepth: t.scene.textures[1],
        });
        const tan = Math.tan(camera.fov / 2),
            first = scene.materials[0];
        gl.uniform2f(compose.at("uSpread"), (tan * width) / height, tan);
        gl.uniform1f(compose.at("uIndex"), first ? first.refraction : 1.33);
        gl.uniform4f(compose.at("uOpaque"), ...(first ? first.color : ([1, 1, 1] as Vec3)), first ? first.opacity ** 2 : 0);
        this.fill();
        gl.enable(gl.DEPTH_TEST);
    }
}

// --- Meshes for drawing ---

// The corners of all triangles with normals that are smoothed over edges blunter than 40 degrees.
function smoothNormals(mesh: Mesh): [Float32Array, Float32Array] {
    const count = mesh.indices.length / 3,
        places = new Float32Array(9 * count),
        normals = new Float32Array(9 * count);
    const point = (i: number): Vec3 => [mesh.vertices[3 * i], mesh.vertices[3 * i + 1], mesh.vertices[3 * i + 2]];
    const faces: Vec3[] = [],
        areas: Vec3[] = [];
    const around = new Map<string, number[]>();
    const keys: string[] = [];
    for (let i = 0; i < mesh.vertices.length / 3; ++i)
        keys.push(
            point(i)
                .map((x) => x.toPrecision(6))
                .join(),
        );
    for (let f = 0; f < count; ++f) {
        const [a, b, c] = [0, 1, 2].map((k) => point(mesh.indices[3 * f + k]));
        areas.push(cross(sub(b, a), sub(c, a)));
        faces.push(normalize(areas[f]));
        for (let k = 0; k < 3; ++k) {
            const key = keys[mesh.indices[3 * f + k]],
                list = around.get(key);
            if (list) list.push(f);
            else around.set(key, [f]);
        }
    }
    for (let f = 0; f < count; ++f) {
        for (let k = 0; k < 3; ++k) {
            const i = mesh.indices[3 * f + k],
                sum: Vec3 = [0, 0, 0];
            for (const g of around.get(keys[i])!)
                if (dot(faces[f], faces[g]) > 0.766) for (let a = 0; a < 3; ++a) sum[a] += areas[g][a];
            places.set(point(i), 9 * f + 3 * k);
            normals.set(normalize(sum), 9 * f + 3 * k);
        }
    }
    return [places, normals];
}

// Triangles from one corner to every segment, and the box that holds them all.
function fillOutline(mesh: Mesh): [Float32Array, Float32Array] {
    const { vertices: v, indices } = mesh,
        fan = new Float32Array((indices.length / 2) * 9);
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < v.length; i += 3) {
        ((x0 = Math.min(x0, v[i])), (x1 = Math.max(x1, v[i])), (y0 = Math.min(y0, v[i + 1])), (y1 = Math.max(y1, v[i + 1])));
    }
    for (let s = 0; s < indices.length / 2; ++s) {
        const a = 3 * indices[2 * s],
            b = 3 * indices[2 * s + 1];
        fan.set([x0, y0, 0, v[a], v[a + 1], 0, v[b], v[b + 1], 0], 9 * s);
    }
    return [fan, new Float32Array([x0, y0, 0, x1, y0, 0, x1, y1, 0, x0, y0, 0, x1, y1, 0, x0, y1, 0])];
}
