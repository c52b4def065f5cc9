// Small helpers for elements. Texts from outside only ever become text nodes.

type Child = Node | string;

export function make<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Record<string, unknown> = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
        else if (name in element && typeof value !== "string") (element as unknown as Record<string, unknown>)[name] = value;
        else element.setAttribute(name === "className" ? "class" : name, String(value));
    }
    element.append(...children);
    return element;
}

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

export function formatNumber(x: number): string {
    if (!Number.isFinite(x)) return "–";
    const size = Math.abs(x);
    if (size !== 0 && (size >= 1e5 || size < 1e-3)) return x.toExponential(2);
    return String(Number(x.toPrecision(4)));
}
