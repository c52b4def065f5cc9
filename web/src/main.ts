// The page: takes messages, draws frames, turns clicks into commands.
import "./style.css";
import { Camera } from "./camera";
import { Console } from "./console";
import { byId, formatNumber, make } from "./dom";
import { Graphs } from "./graphs";
import { Hands, TOOLS, type Tool } from "./hands";
import { icon } from "./icons";
import { Knobs } from "./knobs";
import { Link } from "./link";
import { add, length, scale } from "./maths";
import {
    Ask,
    PROTOCOL,
    Tell,
    readFrame,
    readJson,
    readMesh,
    readSolid,
    readText,
    type Frame,
    type Inspected,
    type Scene,
    type Status,
    type Vec3,
} from "./protocol";
import { colormap } from "./shaders";
import { Stage } from "./stage";

const COLORINGS = ["material", "speed", "density", "pressure"];
const UNITS = ["", "m/s", "of rest", "Pa"];

const link = new Link(),
    camera = new Camera(),
    canvas = byId<HTMLCanvasElement>("stage"),
    stage = new Stage(canvas);
const graphs = new Graphs(),
    knobs = new Knobs(link, report),
    luaConsole = new Console(link);
const hands = new Hands(canvas, link, camera, stage, () => frame, report);
let scene: Scene | null = null,
    status: Status | null = null,
    frame: Frame | null = null,
    inspected: Inspected | null = null;
let hash = "",
    isFramed = false,
    unshown = 0, // frames that came and were not answered yet
    messageTimer = 0,
    sceneName = "";

function report(text: string): void {
    const box = byId("message");
    box.textContent = text;
    box.hidden = !text;
    clearTimeout(messageTimer);
    messageTimer = window.setTimeout(() => {
        box.hidden = true;
    }, 6000);
}

async function ask(type: number, fill?: Parameters<Link["ask"]>[1]): Promise<string | null> {
    const answer = await link.ask(type, fill);
    if (!answer.good) report(answer.text);
    return answer.good ? answer.text : null;
}

// --- Messages ---

link.onstate = (state) => {
    document.body.dataset.link = state;
    unshown = 0;
    if (state === "lost") report("The connection was lost; trying again.");
    if (state === "open") byId("message").hidden = true;
};

link.onmessage = (type, number, data) => {
    if (type === Tell.Scene) takeScene(readJson<Scene>(data));
    else if (type === Tell.Mesh) stage.addMesh(readMesh(data));
    else if (type === Tell.Solid) stage.addSolid(readSolid(data));
    else if (type === Tell.Status) takeStatus(readJson<Status & { set?: [number, string, string] }>(data));
    else if (type === Tell.Answer) report(readText(data, 5));
    else if (type === Tell.Log) (luaConsole.write(readText(data, 4), "error"), report(readText(data, 4)));
    else if (type === Tell.Inspect) ((inspected = readJson<Inspected>(data)), showInspected());
    else if (type === Tell.File) save(data);
    else if (type === Tell.Frame) takeFrame(number, data);
};

function takeScene(next: Scene): void {
    if (next.protocol !== PROTOCOL)
        return report(
            `This page speaks version ${PROTOCOL} of the protocol, the program version ${next.protocol}: reload the page.`,
        );
    const isSame = sceneName === next.scene && scene?.dimension === next.dimension;
    scene = next;
    sceneName = next.scene;
    frame = null;
    inspected = null;
    document.title = `${next.title} – Coulis`;
    byId("title").textContent = next.title;
    byId("title").title = next.note;
    stage.setScene(next);
    knobs.setScene(next);
    graphs.setScene(next);
    luaConsole.setScene(next);
    hands.setScene(next);
    if (!isSame) isFramed = false;
    byId("timeline").hidden = next.source !== "files";
    byId<HTMLInputElement>("seek").max = String(Math.max(0, next.frames - 1));
    byId("tools").hidden = next.source !== "live";
    showScenes();
    showTools();
    showInspected();
    showView();
}

function takeStatus(next: Status & { set?: [number, string, string] }): void {
    if (next.set) {
        const [group, name, value] = next.set;
        const param = scene?.groups.find((g) => g.group === group)?.params.find((p) => p.name === name);
        if (param) param.value = value;
        return knobs.show(group, name, value);
    }
    status = next;
    byId("play").replaceChildren(icon(next.playing ? "pause" : "play"));
    document.body.dataset.playing = String(next.playing);
    document.body.dataset.holder = String(next.holder);
    byId("controls").hidden = next.holder;
    byId("controls").textContent = next.held ? "another viewer holds the controls" : "take the controls";
    byId<HTMLButtonElement>("undo").disabled = next.undo === 0;
    byId<HTMLSelectElement>("speed").value = String(next.speed);
    byId("record").textContent = next.recording >= 0 ? "stop recording" : "record frames";
    byId("record").hidden = !scene?.record;
    if (!next.playing) askHash();
}

// Of the state that stands still now; an answer that comes late is of another.
let hashNumber = 0;
function askHash(): void {
    const number = ++hashNumber;
    hash = "";
    void ask(Ask.Hash).then((text) => {
        if (number === hashNumber) hash = text ?? "";
    });
}

function takeFrame(serial: number, data: Uint8Array): void {
    unshown += 1;
    if (!scene || serial !== scene.serial) return;
    const last = frame;
    frame = readFrame(data);
    graphs.note(frame, last, stage);
    if (!frame.isPlaying && scene.source === "live") askHash();
}

function save(data: Uint8Array): void {
    const size = data[4] + 256 * data[5],
        name = readText(data, 6, 6 + size);
    const url = URL.createObjectURL(new Blob([data.slice(6 + size)], { type: "application/octet-stream" }));
    const anchor = make("a", { href: url, download: name });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// --- Drawing ---

let statusAt = 0;
function showStatus(now: number): void {
    if (!frame || !scene) return;
    document.body.dataset.time = String(frame.time);
    document.body.dataset.count = String(frame.count);
    document.body.dataset.steps = String(frame.steps);
    document.body.dataset.hash = frame.isPlaying ? "" : hash;
    showLegend();
    if (now - statusAt < 120) return; // letters are not cheap, and nobody reads faster
    statusAt = now;
    const parts = [
        `${frame.time.toFixed(3)} s`,
        `${frame.count} particles`,
        `${scene.method}`,
        `${frame.substeps} steps of ${formatNumber(1000 * frame.dt)} ms in ${formatNumber(1000 * frame.seconds)} ms`,
        `${graphs.rate()} frames/s`,
    ];
    if (frame.isBroken) parts.unshift("stopped: the physics went wrong");
    if (!frame.isPlaying && hash) parts.push(hash);
    byId("status").textContent = parts.join(" · ");
    if (scene.source === "files") {
        const seek = byId<HTMLInputElement>("seek");
        if (document.activeElement !== seek) seek.value = String(frame.number);
        byId("seek-text").textContent = `${frame.number + 1} / ${scene.frames}`;
    }
}

let legendText = "";
function showLegend(): void {
    if (!frame || !scene) return;
    const text = `${frame.color} ${formatNumber(frame.valueLower)} ${formatNumber(frame.valueUpper)} ${scene.serial}`;
    if (text === legendText) return;
    legendText = text;
    const legend = byId("legend");
    legend.hidden = scene.materials.length === 0;
    legend.dataset.coloring = COLORINGS[frame.color];
    if (frame.color === 0) {
        legend.replaceChildren(
            ...scene.materials.map((m) => {
                const swatch = make("span", { className: "swatch" });
                swatch.style.background = `rgb(${m.color.map((c) => Math.round(255 * c ** (1 / 2.2))).join(",")})`;
                return make("div", { className: "material" }, swatch, m.name);
            }),
        );
        return;
    }
    const bar = make("div", { className: "bar" });
    bar.style.background = `linear-gradient(to right, ${[0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => colormap(i / 8)).join(",")})`;
    legend.replaceChildren(
        make("div", {}, `${COLORINGS[frame.color]} [${UNITS[frame.color]}]`),
        bar,
        make(
            "div",
            { className: "ends" },
            make("span", {}, formatNumber(frame.valueLower)),
            make("span", {}, formatNumber(frame.valueUpper)),
        ),
    );
}

const ARROW_COLORS: Vec3[] = [
    [1, 0.6, 0.1],
    [0.2, 0.6, 1],
    [0.3, 0.9, 0.4],
];
function showArrows(): void {
    if (hands.tool === "tilt") return;
    stage.arrows = [];
    if (!inspected?.at || !inspected.arrows || !scene) return;
    const most = Math.max(...inspected.arrows.map((a) => length(a.force)), 1e-30),
        size = (inspected.kind === 1 ? 8 : 12) * scene.spacing;
    inspected.arrows.forEach((arrow, i) => {
        stage.arrows.push({
            from: inspected!.at!,
            to: add(inspected!.at!, scale(size / most, arrow.force)),
            color: ARROW_COLORS[i % 3],
        });
    });
}

function draw(now: number): void {
    requestAnimationFrame(draw);
    ((camera.width = canvas.clientWidth || 1), (camera.height = canvas.clientHeight || 1));
    if (scene && !isFramed) (camera.frame(scene), (isFramed = true));
    showArrows();
    stage.pace(now);
    const isDrawn = stage.draw(frame, camera);
    // One answer for each picture, so that no more frames come than are drawn; one that was never drawn is answered later.
    if (unshown > 0) (link.shown(), (unshown -= 1));
    graphs.noteDrawn(now, isDrawn);
    graphs.draw();
    showStatus(now);
}

// --- The panel ---

const viewPage = make("div", { className: "page" }),
    scenePage = make("div", { className: "page" }),
    inspectPage = make("div", { className: "page" });
const PAGES: [string, HTMLElement][] = [
    ["View", viewPage],
    ["Knobs", knobs.page],
    ["Graphs", graphs.page],
    ["Lua", luaConsole.page],
    ["Inspect", inspectPage],
    ["Scenes", scenePage],
];

function openPage(name: string): void {
    for (const [other, page] of PAGES) {
        page.hidden = other !== name;
        byId(`tab-${other}`).setAttribute("aria-selected", String(other === name));
    }
    if (name === "Lua") byId("console-in").focus({ preventScroll: true });
}

function showView(): void {
    const coloring = make("select", {
        id: "coloring",
        "aria-label": "Colouring",
        onchange: () => void ask(Ask.Color, (m) => m.u8(Number(coloring.value))),
    });
    COLORINGS.forEach((name, i) => {
        if (i < 3 || scene?.pressure) coloring.append(make("option", { value: String(i) }, name));
    });
    coloring.value = String(status?.color ?? 0);
    const surface = make("input", {
        type: "checkbox",
        id: "surface",
        checked: stage.isSurface,
        disabled: !stage.canSurface || scene?.dimension === 2,
        onchange: () => {
            stage.isSurface = surface.checked;
        },
    });
    const ticks = make("select", { id: "ticks", "aria-label": "Updates per frame", onchange: () => void pace() });
    for (const n of [1, 2, 4, 8, 16]) ticks.append(make("option", { value: String(n) }, String(n)));
    ticks.value = String(status?.ticks ?? 1);
    const materials = make("select", { id: "spring-material", "aria-label": "Material of the springs" });
    scene?.materials.forEach((m, i) => materials.append(make("option", { value: String(i) }, m.name)));
    const springs = (isAdded: boolean) => () => void ask(Ask.Springs, (m) => m.u8(isAdded ? 1 : 0).u8(Number(materials.value)));
    const button = (id: string, text: string, onclick: () => void, title = ""): HTMLButtonElement =>
        make("button", { id, onclick, title }, text);
    viewPage.replaceChildren(
        make("p", {}, scene?.note ?? ""),
        make("h2", {}, "Colours", coloring),
        make("label", {}, surface, " fluid surface"),
        make("h2", {}, "Look"),
        make(
            "div",
            { className: "list" },
            button("home", "camera home", () => camera.goHome()),
            button("theme", "dark / light", () => {
                const isLight = document.documentElement.dataset.theme === "light";
                document.documentElement.dataset.theme = isLight ? "dark" : "light";
            }),
        ),
        make("h2", {}, "Updates per frame of the scene", ticks),
        make("h2", {}, "Take home"),
        make(
            "div",
            { className: "list" },
            button(
                "export-scene",
                "changed scene",
                () => void ask(Ask.Export, (m) => m.u8(1)),
                "The scene file with the changed parameters",
            ),
            button(
                "export-state",
                "checkpoint",
                () => void ask(Ask.Export, (m) => m.u8(0)),
                "The state as a checkpoint (HDF5)",
            ),
            button("picture", "picture", savePicture),
            byId("record") ??
                button(
                    "record",
                    "record frames",
                    () =>
                        void ask(Ask.Record, (m) => m.u8((status?.recording ?? -1) >= 0 ? 0 : 1)).then((text) => {
                            if (text) report(text);
                        }),
                ),
        ),
        ...(scene?.springs && scene.materials.length > 0
            ? [
                  make("h2", {}, "Springs of", materials),
                  make(
                      "div",
                      { className: "list" },
                      button("add-springs", "add springs now", springs(true)),
                      button("delete-springs", "delete springs", springs(false)),
                  ),
              ]
            : []),
    );
    byId("record").hidden = !scene?.record;
}

function savePicture(): void {
    stage.drawFinely(frame, camera);
    canvas.toBlob((blob) => {
        if (blob) make("a", { href: URL.createObjectURL(blob), download: `${sceneName.split("/").at(-1)}.png` }).click();
    });
}

function showScenes(): void {
    const token = new URLSearchParams(location.search).get("token") ?? "";
    scenePage.replaceChildren(
        make(
            "div",
            { className: "list" },
            ...(scene?.scenes ?? []).map((name) => {
                const open = make("button", { "data-scene": name, onclick: () => void ask(Ask.Open, (m) => m.text(name)) });
                if (name === scene!.scene) open.classList.add("on");
                if (scene!.thumbnails) {
                    open.classList.add("thumb");
                    open.append(
                        make("img", { src: `./thumbs/${name}.jpg?token=${token}`, alt: "", loading: "lazy" }),
                        make("span", {}, name),
                    );
                } else {
                    open.append(name);
                }
                return open;
            }),
        ),
    );
    if (!scene || scene.scenes.length === 0) scenePage.append("This viewer shows one scene.");
}

function showInspected(): void {
    const row = (name: string, value: string): HTMLElement => make("tr", {}, make("td", {}, name), make("td", {}, value));
    const vector = (v?: number[]): string => (v ? v.map(formatNumber).join(", ") : "");
    if (!inspected || inspected.kind === 0) {
        inspectPage.replaceChildren(make("p", {}, "Choose the magnifying glass and click a particle or a body."));
        return;
    }
    const i = inspected,
        rows = [row("position [m]", vector(i.at)), row("velocity [m/s]", vector(i.velocity))];
    if (i.kind === 1)
        rows.unshift(row("particle", String(i.id)), row("material", scene?.materials[i.material ?? 0]?.name ?? ""));
    else rows.unshift(row("body", i.name ?? ""));
    if (i.spin) rows.push(row("spin [rad/s]", vector(i.spin)));
    if (i.density !== undefined) rows.push(row("density / rest", formatNumber(i.density)));
    if (i.pressure !== undefined) rows.push(row("pressure [Pa]", formatNumber(i.pressure)));
    if (i.mass !== undefined && i.mass !== null) rows.push(row("mass [kg]", formatNumber(i.mass)));
    if (i.asleep) rows.push(row("", "asleep"));
    for (const arrow of i.arrows ?? []) rows.push(row(`force: ${arrow.name} [N]`, vector(arrow.force)));
    inspectPage.replaceChildren(make("table", { id: "inspected" }, ...rows));
}

// --- Tools, buttons and keys ---

function showTools(): void {
    const is2d = scene?.dimension === 2;
    byId("tools").replaceChildren(
        ...TOOLS.filter((t) => t.tool !== "draw" || is2d).map((t) =>
            make(
                "button",
                {
                    id: `tool-${t.tool}`,
                    role: "radio",
                    title: t.help,
                    "aria-label": t.help,
                    "aria-checked": String(t.tool === hands.tool),
                    onclick: () => chooseTool(t.tool),
                },
                icon(t.tool),
            ),
        ),
    );
    const options = hands.options();
    byId("options").replaceChildren(...(options ? [options] : []));
}

function chooseTool(tool: Tool): void {
    hands.stop();
    hands.tool = tool;
    if (tool === "inspect") openPage("Inspect");
    showTools();
}

const play = (): void => void ask(Ask.Play, (m) => m.u8(status?.playing ? 0 : 1));
const pace = (): Promise<string | null> =>
    ask(Ask.Pace, (m) =>
        m.f32(Number(byId<HTMLSelectElement>("speed").value)).u8(Number(byId<HTMLSelectElement>("ticks")?.value ?? 1)),
    );
const togglePanel = (): void => {
    byId("panel").hidden = !byId("panel").hidden;
};

const KEYS: Record<string, () => void> = {
    " ": play,
    ".": () => void ask(Ask.Step, (m) => m.u16(1)),
    r: () => void ask(Ask.Reset),
    z: () => void ask(Ask.Undo),
    p: togglePanel,
    h: () => camera.goHome(),
};

function start(): void {
    document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    for (const [name, page] of PAGES) {
        byId("tabs").append(make("button", { id: `tab-${name}`, role: "tab", onclick: () => openPage(name) }, name));
        byId("pages").append(page);
    }
    for (const [id, name] of [
        ["play", "play"],
        ["step", "step"],
        ["reset", "reset"],
        ["undo", "undo"],
        ["panel-button", "panel"],
    ])
        byId(id).replaceChildren(icon(name));
    byId("play").onclick = play;
    byId("step").onclick = KEYS["."];
    byId("reset").onclick = KEYS.r;
    byId("undo").onclick = KEYS.z;
    byId("controls").onclick = () => void ask(Ask.Controls, (m) => m.u8(1));
    byId("panel-button").onclick = togglePanel;
    byId("speed").onchange = () => void pace();
    byId<HTMLInputElement>("seek").oninput = (event) =>
        link.tell(Ask.Seek, (m) => m.u32(Number((event.target as HTMLInputElement).value)));
    document.addEventListener("keydown", (event) => {
        const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
        if (isTyping || event.ctrlKey || event.metaKey || !KEYS[event.key]) return;
        event.preventDefault();
        KEYS[event.key]();
    });
    showView();
    openPage("View");
    if (innerWidth <= 700) byId("panel").hidden = true;
    showTools();
    link.start();
    requestAnimationFrame(draw);
}

/** For tests and for the curious: what the page knows. */
Object.assign(window, {
    coulis: {
        frame: () => frame,
        scene: () => scene,
        status: () => status,
        rate: () => graphs.rate(),
        camera,
        bodyAt: (name: string) => {
            const body = frame?.bodies.find((b) => stage.meshOf(b.key)?.name === name);
            return body ? { position: body.position, screen: camera.project(body.position) } : null;
        },
        solidAt: (name: string) => {
            const solid = frame?.solids.find((s) => stage.solidOf(s.key)?.name === name);
            if (!solid) return null;
            const count = solid.points.length / 3,
                position = [0, 0, 0] as Vec3;
            solid.points.forEach((x, i) => {
                position[i % 3] += x / count;
            });
            return { position, screen: camera.project(position) };
        },
        screenOf: (p: Vec3) => camera.project(p),
        inspected: () => inspected,
        hash: () => ask(Ask.Hash),
        draw: () => stage.draw(frame, camera, true),
    },
});

start();
