// The playground in a real browser, from a plain static server: it loads, moves, pours, and gives the hash of the native program;
// so it does with threads, from a server whose pages are cross-origin isolated.
//
// usage: node playground_test.mjs COULIS FOLDER [--pictures FOLDER]
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { startBrowser, waitFor } from "./browser.mjs";

const [coulis, folder] = process.argv.slice(2);
const pictures = process.argv[4] === "--pictures" ? process.argv[5] : null;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const SCENES = ["dam-break-2d", "syrup-coil", "drop-2d", "plastic-row", "boxes-in-2d"];
const FRAMES = 4;

const ISOLATION = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };

function serve(isIsolated) {
    const more = isIsolated ? ISOLATION : {};
    const server = createServer((request, response) => {
        const path = normalize(new URL(request.url, "http://x").pathname);
        try {
            const data = readFileSync(join(folder, path.endsWith("/") ? path + "index.html" : path));
            response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/html", ...more }).end(data);
        } catch {
            response.writeHead(404).end();
        }
    });
    return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

// What `coulis run` says of so many frames.
function nativeHash(scene) {
    const out = mkdtempSync(join(tmpdir(), "coulis-playground-"));
    execFileSync(coulis, [
        "run",
        scene,
        "--frames",
        String(FRAMES),
        "--out",
        out,
        "--export",
        "none",
        "--quiet",
        "--threads",
        "1",
    ]);
    const hash = JSON.parse(readFileSync(join(out, "run.json"), "utf8")).state_hash;
    rmSync(out, { recursive: true });
    return hash;
}

async function pause(page) {
    if ((await page.evaluate(() => document.body.dataset.playing)) === "true") await page.click("#play");
    await waitFor(page, () => document.body.dataset.playing === "false");
}

// First frame, pouring, the console.
async function tryHands(page, url) {
    const start = Date.now();
    await page.goto(`${url}/?scene=dam-break-2d`);
    await waitFor(page, () => window.coulis.frame() !== null);
    console.log(`first frame after ${((Date.now() - start) / 1000).toFixed(1)} s`);
    const first = await page.evaluate(() => window.coulis.frame().time);
    await waitFor(page, (t) => window.coulis.frame().time > t, first);
    const before = await page.evaluate(() => window.coulis.frame().count);
    await page.click("#tool-pour");
    const [x, y] = await page.evaluate(() => {
        const { lower, upper } = window.coulis.scene();
        return window.coulis.screenOf([0.5 * (lower[0] + upper[0]), 0.25 * lower[1] + 0.75 * upper[1], 0]);
    });
    await page.mouse.move(x, y);
    await page.mouse.down();
    await waitFor(page, (n) => window.coulis.frame().count > n, before);
    await page.mouse.up();
    await page.click("#tab-Lua");
    await page.fill("#console-in", "while true do end");
    await page.press("#console-in", "Enter");
    await waitFor(page, () => document.querySelector("#console-out .error")?.textContent.includes("endless loop"));
    if (pictures) await page.screenshot({ path: join(pictures, "playground.png") });
}

async function compareHashes(page, url) {
    for (const scene of SCENES) {
        await page.goto(`${url}/?scene=${scene}`);
        await waitFor(page, () => window.coulis.frame() !== null);
        await pause(page);
        await page.click("#reset");
        await waitFor(page, () => window.coulis.frame()?.time === 0);
        for (let i = 1; i <= FRAMES; ++i) {
            await page.click("#step");
            await waitFor(page, (n) => window.coulis.frame()?.number === n, i);
        }
        const hash = await page.evaluate(() => window.coulis.hash()),
            expected = nativeHash(scene);
        console.log(`${scene}: ${hash} in the browser, ${expected} natively`);
        assert.equal(hash, expected, scene);
    }
}

async function main(isIsolated) {
    const server = await serve(isIsolated),
        url = `http://127.0.0.1:${server.address().port}`,
        browser = await startBrowser(),
        { page } = browser;
    try {
        await tryHands(page, url);
        assert.equal(await page.evaluate(() => self.crossOriginIsolated), isIsolated);
        await compareHashes(page, url);
        assert.deepEqual(browser.complaints, []);
    } finally {
        await browser.stop();
        server.close();
    }
}

await main(false);
await main(true);
