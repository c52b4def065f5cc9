// Live graphs of the last few hundred frames.
import { formatNumber, make } from "./dom";
import type { Frame, Scene } from "./protocol";
import type { Stage } from "./stage";

const LENGTH = 300;
const COLORS = [
    "#5ab0ff",
    "#ff9f40",
    "#59c36a",
    "#d46fe0",
    "#e8d44d",
    "#ff7b72",
    "#8bd5ca",
    "#b0a0ff",
    "#c08a5b",
    "#f5a3c7",
    "#9aa4b2",
    "#6ea8a0",
];

interface Graph {
    names: string[];
    rows: number[][];
    canvas: HTMLCanvasElement;
    text: HTMLElement;
    unit: string;
    isStacked: boolean;
}

export class Graphs {
    readonly page = make("div", { className: "page" });
    private graphs = new Map<string, Graph>();
    private drawnAt: number[] = [];

    setScene(scene: Scene): void {
        this.graphs.clear();
        this.page.replaceChildren();
        this.add("drawn", "Drawn frames", "1/s", ["rate"]);
        this.add("steps", "Simulation steps", "1/s", ["rate"]);
        this.add("phases", "Time of a step by phase", "ms", scene.phases, true);
        this.add("density", "Density error", "%", ["mean", "largest"]);
        this.add("energy", "Energy", "J", ["kinetic", "potential"]);
        this.add("height", "Height of free bodies", "m", []);
        this.add("count", "Particles", "", ["count"]);
    }

    private add(key: string, title: string, unit: string, names: string[], isStacked = false): void {
        const canvas = make("canvas", { width: 600, height: 112, id: `graph-${key}` }),
            text = make("span");
        this.graphs.set(key, { names, rows: [], canvas, text, unit, isStacked });
        this.page.append(
            make("div", { className: "graph" }, make("div", { className: "head" }, make("span", {}, title), text), canvas),
        );
    }

    private push(key: string, values: number[]): void {
        const graph = this.graphs.get(key);
        if (!graph) return;
        graph.rows.push(values);
        if (graph.rows.length > LENGTH) graph.rows.shift();
    }

    /** A frame that has arrived; `last` the one before. */
    note(frame: Frame, last: Frame | null, stage: Stage): void {
        const perStep = 1000 / Math.max(1, frame.substeps);
        this.push(
            "phases",
            frame.phases.map((seconds) => seconds * perStep),
        );
        if (last && frame.seconds > 0) this.push("steps", [frame.substeps / frame.seconds]);
        this.push("density", [100 * frame.densityError, 100 * frame.densityErrorMax]);
        this.push("energy", [frame.kinetic, frame.potential]);
        this.push("count", [frame.count]);
        const heights = frame.bodies.filter((body) => stage.meshOf(body.key)?.isFree).slice(0, 8);
        const graph = this.graphs.get("height");
        if (graph) {
            const names = heights.map((body) => stage.meshOf(body.key)!.name);
            if (names.join() !== graph.names.join()) ((graph.names = names), (graph.rows = []));
            if (names.length > 0)
                this.push(
                    "height",
                    heights.map((body) => body.position[1]),
                );
        }
    }

    /** The picture may stand for a while: then nothing is drawn. */
    noteDrawn(now: number, isDrawn: boolean): void {
        if (isDrawn) this.drawnAt.push(now);
        while (this.drawnAt[0] < now - 1000) this.drawnAt.shift();
        if (isDrawn) this.push("drawn", [this.drawnAt.length]);
    }

    rate(): number {
        return this.drawnAt.length;
    }

    draw(): void {
        if (!this.page.isConnected || this.page.hidden) return;
        for (const graph of this.graphs.values()) drawGraph(graph);
    }
}

function drawGraph(graph: Graph): void {
    const context = graph.canvas.getContext("2d")!,
        { width, height } = graph.canvas;
    context.clearRect(0, 0, width, height);
    const last = graph.rows.at(-1);
    if (!last) return;
    const sums = graph.isStacked ? graph.rows.map((row) => row.reduce((a, b) => a + b, 0)) : graph.rows.flat();
    const upper = Math.max(...sums),
        lower = graph.isStacked ? 0 : Math.min(0, ...sums),
        span = upper - lower || 1;
    const y = (value: number): number => height - 4 - ((value - lower) / span) * (height - 8);
    const series = Math.max(...graph.rows.map((row) => row.length));
    const base = new Array<number>(graph.rows.length).fill(0);
    for (let s = 0; s < series; ++s) {
        context.strokeStyle = context.fillStyle = COLORS[s % COLORS.length];
        context.lineWidth = 2;
        context.beginPath();
        graph.rows.forEach((row, i) => {
            const value = graph.isStacked ? (base[i] += row[s] ?? 0) : (row[s] ?? 0),
                x = (i / (LENGTH - 1)) * width;
            if (i === 0) context.moveTo(x, y(value));
            else context.lineTo(x, y(value));
        });
        context.stroke();
    }
    const total = graph.isStacked ? last.reduce((a, b) => a + b, 0) : last[0];
    let text = `${formatNumber(total)} ${graph.unit}`;
    if (graph.isStacked) {
        const most = last.indexOf(Math.max(...last));
        text += ` (most: ${graph.names[most] ?? ""})`;
    } else if (last.length > 1) {
        text = last.map((value, i) => `${graph.names[i] ?? ""} ${formatNumber(value)}`).join(", ") + ` ${graph.unit}`;
    }
    graph.text.textContent = text;
}
