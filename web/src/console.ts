// Lua on the running world: a line, its answer, history and completion.
import { make } from "./dom";
import type { Link } from "./link";
import { Ask, type Scene } from "./protocol";

const WORDS = [
    "world:gravity",
    "world:pour",
    "world:set",
    "world:add_springs",
    "world:delete_springs",
    "world:stop_emitters",
    "world:emitter",
    "world:body",
    "world:push",
    "world:set_velocity",
    "world:set_free",
    "world:remove_body",
    "world:motor",
    "world:remove_joint",
    "world:particle_count",
    "world:log",
    "world.time",
    "world.store",
    "print",
    "math.",
    "string.",
    "table.",
    "box",
    "sphere",
    "cylinder",
    "capsule",
    "cone",
    "torus",
    "disk",
    "polygon",
    "shell",
    "union",
    "plane",
];

export class Console {
    readonly page: HTMLElement;
    private out = make("div", { id: "console-out" });
    private input: HTMLInputElement;
    private hints = make("div", { id: "hints" });
    private history: string[] = [];
    private place = 0;
    private words = WORDS;

    constructor(private link: Link) {
        this.input = make("input", {
            id: "console-in",
            type: "text",
            placeholder: "world:gravity { 0, -1.6, 0 }",
            spellcheck: "false",
            autocomplete: "off",
            "aria-label": "Lua",
            oninput: () => this.suggest(),
            onkeydown: (event: Event) => this.key(event as KeyboardEvent),
        });
        this.page = make("div", { className: "page" }, this.out, this.input, this.hints);
        this.write(
            "Lua on the running world: an expression shows its value. Tab completes, arrows go through what was typed before.",
        );
    }

    setScene(scene: Scene): void {
        this.words = [
            ...WORDS,
            ...scene.materials.map((m) => `"${m.name}"`),
            ...scene.groups.slice(2, 3).flatMap((g) => g.params.map((p) => `"${p.name}"`)),
        ];
    }

    write(text: string, kind = ""): void {
        this.out.append(make("div", { className: kind }, text));
        while (this.out.childElementCount > 200) this.out.firstElementChild!.remove();
        this.out.parentElement?.parentElement?.scrollTo(0, 1e6);
    }

    // The word at the cursor and what it may become.
    private candidates(): { from: number; words: string[] } {
        const before = this.input.value.slice(0, this.input.selectionStart ?? undefined);
        const word = /["\w.:]*$/.exec(before)![0];
        return {
            from: before.length - word.length,
            words: word ? this.words.filter((w) => w.startsWith(word) && w !== word).slice(0, 8) : [],
        };
    }

    private complete(word: string, from: number): void {
        const end = this.input.selectionStart ?? this.input.value.length;
        this.input.setRangeText(word, from, end, "end");
        this.input.focus();
        this.suggest();
    }

    private suggest(): void {
        const { from, words } = this.candidates();
        this.hints.replaceChildren(...words.map((word) => make("button", { onclick: () => this.complete(word, from) }, word)));
    }

    private key(event: KeyboardEvent): void {
        event.stopPropagation();
        if (event.key === "Enter") {
            void this.run(this.input.value.trim());
        } else if (event.key === "Tab") {
            const { from, words } = this.candidates();
            if (words.length === 0) return;
            event.preventDefault();
            let common = words[0];
            for (const word of words) while (!word.startsWith(common)) common = common.slice(0, -1);
            this.complete(common, from);
        } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
            event.preventDefault();
            this.place = Math.min(Math.max(this.place + (event.key === "ArrowUp" ? -1 : 1), 0), this.history.length);
            this.input.value = this.history[this.place] ?? "";
        }
    }

    private async run(line: string): Promise<void> {
        if (!line) return;
        this.history.push(line);
        this.place = this.history.length;
        this.input.value = "";
        this.suggest();
        this.write(`> ${line}`, "line");
        const answer = await this.link.ask(Ask.Console, (m) => m.text(line));
        if (answer.text || !answer.good) this.write(answer.text || "failed", answer.good ? "" : "error");
    }
}
