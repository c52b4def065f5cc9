// The worker of the playground: runs the session between messages of the page. `?scene=NAME` of the page's address chooses.
// All within a function: emscripten's script puts dozens of names into the worker's own scope, `run` among them.
"use strict";
const PROGRAM = self.crossOriginIsolated ? "coulis-threads.js" : "coulis.js";
(() => {
    const MAX_AWAY = 2; // frames that the page has not shown yet
    const FIRST_SCENE = "dam-break-2d";
    let away = 0,
        isPlanned = false;

    // Threads share memory, which a page may do that is cross-origin isolated. One is left for the page.
    const threads = self.crossOriginIsolated ? Math.min(Math.max(navigator.hardwareConcurrency - 1, 2), 4) : 1;
    const open = (scene) => Module.ccall("couPlayOpen", "number", ["string", "number"], [scene, threads]) !== 0;
    self.Module = {
        mainScriptUrlOrBlob: PROGRAM,
        postToPage: (bytes) => self.postMessage(bytes.buffer, [bytes.buffer]),
        onRuntimeInitialized() {
            self.postMessage("ready");
            const scene = new URLSearchParams(self.location.search).get("scene");
            if (!scene || !open(scene)) open(FIRST_SCENE);
            plan(0);
        },
    };

    function plan(seconds) {
        if (isPlanned) return;
        isPlanned = true;
        setTimeout(go, Math.min(1000 * seconds, 100));
    }

    function go() {
        isPlanned = false;
        if (Module._couPlayDue() <= 0) Module._couPlayTick();
        if (Module._couPlayHasNews() && away < MAX_AWAY) {
            ++away;
            Module._couPlayFrame();
        }
        plan(Module._couPlayDue());
    }

    self.onmessage = (event) => {
        const bytes = new Uint8Array(event.data);
        if (bytes[0] === 1) {
            away = Math.max(0, away - 1);
            return plan(0);
        }
        const place = Module._malloc(bytes.length);
        Module.HEAPU8.set(bytes, place);
        Module._couPlayReceive(place, bytes.length);
        Module._free(place);
        plan(0);
    };
})();

importScripts(PROGRAM);
