// The worker of the playground: runs the session between messages of the page. `?scene=NAME` of the page's address chooses.
"use strict";
const MAX_AWAY = 2; // frames that the page has not shown yet
let away = 0,
    isScheduled = false;

var Module = {
    postToPage(bytes) {
        self.postMessage(bytes.buffer, [bytes.buffer]);
    },
    onRuntimeInitialized() {
        self.postMessage("ready");
        const scene = new URLSearchParams(self.location.search).get("scene") || Module.firstScene;
        const known = Module.ccall("couPlayOpen", "number", ["string"], [scene]);
        if (!known) Module.ccall("couPlayOpen", "number", ["string"], [Module.firstScene]);
        schedule(0);
    },
};
Module.firstScene = "dam-break-2d";

function schedule(seconds) {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(run, Math.min(1000 * seconds, 100));
}

function run() {
    isScheduled = false;
    const started = performance.now();
    // Several short ticks in a row, so that the page's clock does not bound them; messages come in between.
    while (Module._couPlayDue() <= 0 && performance.now() - started < 15) {
        Module._couPlayTick();
        if (away < MAX_AWAY) break;
    }
    if (Module._couPlayHasNews() && away < MAX_AWAY) {
        ++away;
        Module._couPlayFrame();
    }
    schedule(Math.max(Module._couPlayDue(), 0.001));
}

self.onmessage = (event) => {
    const bytes = new Uint8Array(event.data);
    if (bytes[0] === 1) {
        away = Math.max(0, away - 1);
        return schedule(0);
    }
    const place = Module._malloc(bytes.length);
    Module.HEAPU8.set(bytes, place);
    Module._couPlayReceive(place, bytes.length);
    Module._free(place);
    schedule(0);
};

importScripts("coulis.js");
