// Sliders for the parameters of the running method, world and materials, from the program's own tables.
import { make } from "./dom";
import { icon } from "./icons";
import type { Link } from "./link";
import { Ask, type Param, type Scene } from "./protocol";

interface Knob {
    param: Param;
    root: HTMLElement;
    show: (value: string) => void;
}

export class Knobs {
    readonly page = make("div", { className: "page" });
    private knobs = new Map<string, Knob>();

    constructor(
        private link: Link,
        private report: (text: string) => void,
    ) {}

    setScene(scene: Scene): void {
        this.knobs.clear();
        this.page.replaceChildren();
        const method = make("select", {
            id: "method",
            title: "The method; particles and bodies are kept",
            onchange: (event: Event) => void this.switchMethod((event.target as HTMLSelectElement).value, scene.method),
        });
        for (const name of scene.methods) method.append(make("option", { value: name, selected: name === scene.method }, name));
        this.page.append(make("h2", {}, "Method", method));
        for (const group of scene.groups) {
            if (group.group > 0) this.page.append(make("h2", {}, group.name));
            for (const param of group.params) this.add(group.group, param, group.group === 0);
        }
        if (scene.source !== "live")
            this.page.querySelectorAll("input, select, button").forEach((e) => ((e as HTMLInputElement).disabled = true));
    }

    private async switchMethod(name: string, old: string): Promise<void> {
        const answer = await this.link.ask(Ask.Method, (m) => m.text(name));
        if (answer.good) return;
        this.report(answer.text);
        (this.page.querySelector("#method") as HTMLSelectElement).value = old;
    }

    private async set(group: number, name: string, value: string): Promise<void> {
        const answer = await this.link.ask(Ask.Set, (m) => m.u8(group).text(name).text(value));
        if (!answer.good) this.report(answer.text);
    }

    /** The value is what the simulation says it is. */
    show(group: number, name: string, value: string): void {
        const knob = this.knobs.get(`${group}.${name}`);
        if (!knob) return;
        knob.param.value = value;
        knob.root.classList.toggle("changed", value !== knob.param.start);
        knob.show(value);
    }

    private add(group: number, param: Param, isMethod: boolean): void {
        const id = `knob-${isMethod ? "method" : group === 1 ? "world" : group - 2}-${param.name}`;
        const root = make("div", { className: "knob", id });
        const back = make(
            "button",
            {
                className: "back",
                title: `Back to ${param.start}`,
                "aria-label": `Reset ${param.name}`,
                onclick: () => void this.set(group, param.name, ""),
            },
            icon("reset"),
        );
        const head = make("div", { className: "head" }, make("span", { className: "name", title: param.help }, param.name));
        root.append(head);
        const knob: Knob = { param, root, show: () => {} };
        if (param.type === "bool" || param.type === "choice") {
            const words = param.type === "bool" ? ["false", "true"] : param.choices!;
            const select = make("select", {
                "aria-label": param.name,
                onchange: () => void this.set(group, param.name, select.value),
            });
            for (const word of words) select.append(make("option", { value: word }, word));
            head.append(select, back);
            knob.show = (value) => {
                select.value = value;
            };
        } else {
            const input = make("input", {
                type: "text",
                "aria-label": param.name,
                inputmode: "decimal",
                onchange: () => void this.set(group, param.name, input.value.trim()),
            });
            head.append(input, make("span", { className: "unit" }, param.unit), back);
            const slider = param.type === "vec3" ? null : this.slider(group, param);
            if (slider) root.append(slider.input);
            knob.show = (value) => {
                if (document.activeElement !== input) input.value = shorten(value);
                slider?.show(value);
            };
        }
        root.append(make("div", { className: "help" }, param.help));
        this.knobs.set(`${group}.${param.name}`, knob);
        this.page.append(root);
        this.show(group, param.name, param.value);
    }

    // Ranges of many decades get a logarithmic slider around the value that the scene began with.
    private slider(group: number, param: Param): { input: HTMLInputElement; show: (value: string) => void } {
        const start = Number(param.start),
            min = param.min ?? -1e9,
            max = param.max ?? 1e9;
        const isWide = max - min > 100 && min >= 0;
        const middle = Number.isFinite(start) && start > 0 ? start : Math.min(max, 1) / 10;
        const low = isWide ? Math.log10(Math.max(middle * 1e-3, 1e-12)) : min,
            high = isWide ? Math.log10(Math.min(middle * 1e3, max)) : max;
        const input = make("input", { type: "range", min: "0", max: "1000", step: "1", "aria-label": `${param.name} slider` });
        const toValue = (x: number): number => {
            const t = low + ((high - low) * x) / 1000;
            const value = isWide ? (x === 0 && !param.open && min === 0 ? 0 : 10 ** t) : t;
            return param.type === "int" ? Math.round(value) : Number(value.toPrecision(4));
        };
        let waiting = false;
        input.addEventListener("input", () => {
            if (waiting) return; // one change on its way at a time
            waiting = true;
            void this.set(group, param.name, String(toValue(Number(input.value)))).then(() => {
                waiting = false;
            });
        });
        input.addEventListener("change", () => void this.set(group, param.name, String(toValue(Number(input.value)))));
        return {
            input,
            show: (value) => {
                const x = Number(value);
                if (document.activeElement === input || !Number.isFinite(x)) return;
                const t = isWide ? (x > 0 ? Math.log10(x) : low) : x;
                input.value = String(Math.round((1000 * (t - low)) / (high - low || 1)));
            },
        };
    }
}

// Floats have seven digits that mean something.
function shorten(value: string): string {
    return value
        .split(",")
        .map((part) =>
            part.trim() !== "" && Number.isFinite(Number(part)) ? String(Number(Number(part).toPrecision(7))) : part.trim(),
        )
        .join(", ");
}
