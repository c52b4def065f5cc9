// Line drawings in a square of 24, so that no font has to have them.
const PATHS: Record<string, string> = {
    play: "M7 4l13 8-13 8z",
    pause: "M8 4v16M16 4v16",
    step: "M5 4l10 8-10 8zM19 4v16",
    reset: "M4 5v5h5M4.6 10A8 8 0 1 1 4 14",
    undo: "M8 5L3 10l5 5M3 10h11a6 6 0 0 1 0 12h-3",
    panel: "M4 6h16M4 12h16M4 18h16",
    look: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
    pour: "M4 4h9a5 5 0 0 1 5 5v2h-6V9H4zM15 14s-2.5 3.4-2.5 5a2.5 2.5 0 0 0 5 0c0-1.600-2.500-5-2.500-5z",
    grab: "M12 3v6M9 6l3 3 3-3M12 21v-6M9 18l3-3 3 3M3 12h6M6 9l3 3-3 3M21 12h-6M18 9l-3 3 3 3",
    push: "M12 9V3M9 6l3-3 3 3M12 15v6M9 18l3 3 3-3M9 12H3M6 9l-3 3 3 3M15 12h6M18 9l3 3-3 3",
    drag: "M12 3a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM12 7v9a4 4 0 0 1-8 0l-1.500 1.500M4 16l2.500 1.500",
    drop: "M12 3v8M8 8l4 4 4-4M5 15h14v6H5z",
    draw: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
    cut: "M6 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM6 13a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8.500 9.500L20 18M8.500 14.500L20 6",
    tilt: "M4 20L18 6M11 6h7v7M4 8v12h12",
    inspect: "M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM14.500 14.500L21 21",
    remove: "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6",
};

export function icon(name: string): SVGSVGElement {
    const space = "http://www.w3.org/2000/svg",
        svg = document.createElementNS(space, "svg"),
        path = document.createElementNS(space, "path");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    svg.classList.add("icon");
    path.setAttribute("d", PATHS[name] ?? "");
    svg.append(path);
    return svg;
}
