// The page in a real browser against a real `coulis view`.
//
// usage: node page_test.mjs COULIS [--pictures FOLDER]
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBrowser, startServer, waitFor } from "./browser.mjs";

const coulis = process.argv[2],
    folder = mkdtempSync(join(tmpdir(), "coulis-page-test-"));
const pictures = process.argv[3] === "--pictures" ? process.argv[4] : folder;
const POOL = `
scene { title = "A pool", dimension = 2, spacing = 0.02, duration = 10, fps = 30, depth = 0.3, speed = 3 }
body { name = "tank", shape = shell { box { size = { 0.8, 0.8 } }, thickness = 0.1, open = true }, at = { 0, 0.4 } }
body { name = "cork", shape = box { size = { 0.12, 0.12 } }, at = { 0.2, 0.5 }, density = 300, color = { 0.6, 0.35, 0.1 } }
fluid { material = "water", shape = box { size = { 0.8, 0.3 } }, at = { 0, 0.15 } }
`;
const BLOCK = `
scene { title = "A block", spacing = 0.03, duration = 10, fps = 30, depth = 0.3, speed = 3 }
body { name = "ground", shape = plane {} }
body { name = "ball", shape = sphere { radius = 0.08 }, at = { 0, 0.6, 0 }, density = 2000 }
fluid { material = "water", shape = box { size = { 0.3, 0.3, 0.3 } }, at = { 0, 0.15, 0 } }
`;
const JELLY = `
scene { title = "Jelly", spacing = 0.02, duration = 10, fps = 30 }
body { name = "ground", shape = plane {} }
solid { name = "jelly", shape = box { size = { 0.1, 0.1, 0.1 } }, cells = { 3, 3, 3 }, at = { 0, 0.06, 0 }, young = 20000,
    damping = 0.005, color = { 0.8, 0.1, 0.05 } }
camera { from = { 0.2, 0.3, 0.9 }, to = { 0, 0.12, 0 }, fov = 36 }
`;
const CASTING = `
scene { title = "A casting", spacing = 0.05, duration = 10, fps = 30, depth = 0.4, speed = 3 }
body { name = "ground", shape = plane {} }
body { name = "mould", shape = shell { box { size = { 0.4, 0.4, 0.4 } }, thickness = 0.1, open = true }, at = { 0, 0.3, 0 } }
fluid { material = material("matter", { base = "jelly", shear_modulus = 5000, flow_stretch = 20, flow_compress = 20 }),
    shape = box { size = { 0.4, 0.4, 0.4 } }, at = { 0, 0.3, 0 } }
camera { from = { 1.2, 1.2, 2 }, to = { 0, 0.3, 0 }, fov = 36 }
`;
writeFileSync(join(folder, "jelly.lua"), JELLY);
writeFileSync(join(folder, "casting.lua"), CASTING);
writeFileSync(join(folder, "pool.lua"), POOL);
writeFileSync(join(folder, "block.lua"), BLOCK);

const data = (page, name) => page.evaluate((n) => document.body.dataset[n], name);
const time = async (page) => Number(await data(page, "time"));
const frame = (page) =>
    page.evaluate(() => {
        const f = window.coulis.frame(),
            shorts = new Uint16Array(f.particles.slice().buffer);
        let sum = 0;
        for (let i = 0; i < f.count; ++i) sum += shorts[4 * i + 1];
        return { time: f.time, count: f.count, kinetic: f.kinetic, height: f.lower[1] + (f.size[1] * sum) / 65535 / f.count };
    });
const screenOf = (page, point) => page.evaluate((p) => window.coulis.screenOf(p), point);
const openTab = (page, name) => page.click(`#tab-${name}`);

async function ensurePlaying(page, isPlaying) {
    if ((await data(page, "playing")) !== String(isPlaying)) await page.click("#play");
    await waitFor(page, (wanted) => document.body.dataset.playing === wanted, String(isPlaying));
}

async function runLine(page, line) {
    await openTab(page, "Lua");
    const count = await page.locator("#console-out > div").count();
    await page.fill("#console-in", line);
    await page.press("#console-in", "Enter");
    await waitFor(page, (n) => document.querySelectorAll("#console-out > div").length >= n, count + 2);
    return page.locator("#console-out > div").last();
}

// Waits until the hash of the paused world is shown.
async function pausedHash(page) {
    await ensurePlaying(page, false);
    await waitFor(page, () => document.body.dataset.hash.length === 16);
    return data(page, "hash");
}

const tests = {
    async "the page loads and particles move"({ page, complaints }) {
        await waitFor(page, () => document.body.dataset.count > 300);
        assert.equal(await page.title(), "A pool – Coulis");
        const first = await frame(page);
        await waitFor(page, (t) => document.body.dataset.time > t + 0.2, first.time);
        assert.deepEqual(complaints, []);
        // what is drawn is not one colour
        const colors = await page.evaluate(() => {
            const gl = document.getElementById("stage").getContext("webgl2"),
                pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
            gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            const seen = new Set();
            for (let i = 0; i < pixels.length; i += 4) seen.add(pixels[i] * 65536 + pixels[i + 1] * 256 + pixels[i + 2]);
            return seen.size;
        });
        assert.ok(colors > 20, `${colors} colours`);
        await page.screenshot({ path: join(pictures, "viewer-2d.png") });
    },
    async "pouring raises the count"({ page }) {
        const before = (await frame(page)).count,
            [x, y] = await screenOf(page, [-0.1, 0.6, 0]);
        await page.click("#tool-pour");
        await page.mouse.move(x, y);
        await page.mouse.down();
        await waitFor(page, (n) => document.body.dataset.count > n + 30, before);
        await page.mouse.up();
        await page.click("#tool-look");
    },
    async "dragging moves a body"({ page }) {
        const [x, y] = await page.evaluate(() => window.coulis.bodyAt("cork").screen),
            to = await screenOf(page, [-0.25, 0.65, 0]);
        await page.click("#tool-drag");
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(to[0], to[1], { steps: 5 });
        await page.waitForTimeout(50);
        await page.mouse.move(to[0] + 1, to[1]);
        await waitFor(page, () => window.coulis.bodyAt("cork").position[0] < -0.1);
        await page.mouse.up();
        await page.click("#tool-look");
    },
    async "a slider changes the physics"({ page }) {
        await openTab(page, "Knobs");
        const knob = page.locator("#knob-0-viscosity");
        await knob.locator("input[type=text]").fill("300");
        await knob.locator("input[type=text]").press("Enter");
        await waitFor(page, () => document.getElementById("knob-0-viscosity").classList.contains("changed"));
        await waitFor(page, () => window.coulis.frame().kinetic < 0.3); // thick as honey: it comes to rest
        await knob.locator(".back").click();
        await waitFor(page, () => !document.getElementById("knob-0-viscosity").classList.contains("changed"));
        await page.locator("#knob-0-viscosity input[type=range]").fill("900");
        await waitFor(page, () => document.getElementById("knob-0-viscosity").classList.contains("changed"));
        await page.click("#undo");
        await waitFor(page, () => !document.getElementById("knob-0-viscosity").classList.contains("changed"));
        await knob.locator("input[type=text]").fill("-5");
        await knob.locator("input[type=text]").press("Enter");
        await waitFor(page, () => document.getElementById("message").textContent.includes("viscosity"));
    },
    async "the console sets gravity and shows errors"({ page }) {
        const before = await frame(page);
        assert.equal(await (await runLine(page, "world:gravity { 0, 4, 0 }")).textContent(), "{0, 4, 0}");
        await waitFor(
            page,
            (h) => {
                const f = window.coulis.frame(),
                    shorts = new Uint16Array(f.particles.slice().buffer);
                let sum = 0;
                for (let i = 0; i < f.count; ++i) sum += shorts[4 * i + 1];
                return f.lower[1] + (f.size[1] * sum) / 65535 / f.count > h + 0.05;
            },
            before.height,
        );
        let answer = await runLine(page, "world:nonsense()");
        assert.match(await answer.textContent(), /nonsense/);
        assert.equal(await answer.getAttribute("class"), "error");
        answer = await runLine(page, "while true do end");
        assert.match(await answer.textContent(), /endless loop/);
        await page.fill("#console-in", "world:grav");
        await page.press("#console-in", "Tab");
        assert.equal(await page.inputValue("#console-in"), "world:gravity");
        await page.press("#console-in", "ArrowUp");
        assert.equal(await page.inputValue("#console-in"), "while true do end");
    },
    async "pause stops the hash, reset restores the first"({ page }) {
        await ensurePlaying(page, false);
        await page.click("#reset");
        await waitFor(page, () => document.body.dataset.time === "0");
        const first = await pausedHash(page);
        await page.click("#step");
        await waitFor(page, () => document.body.dataset.time > 0.03);
        await waitFor(page, (h) => document.body.dataset.hash.length === 16 && document.body.dataset.hash !== h, first);
        const second = await pausedHash(page),
            at = await time(page);
        await page.waitForTimeout(300);
        assert.equal(await time(page), at);
        assert.equal(await pausedHash(page), second);
        await page.click("#reset");
        await waitFor(page, (h) => document.body.dataset.time === "0" && document.body.dataset.hash === h, first);
        await ensurePlaying(page, true);
    },
    async "colours, theme, inspect and files"({ page }) {
        await openTab(page, "View");
        await page.selectOption("#coloring", "1");
        await waitFor(page, () => document.getElementById("legend").dataset.coloring === "speed");
        await page.click("#theme");
        const theme = await page.evaluate(() => document.documentElement.dataset.theme);
        await page.click("#theme");
        assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), theme);
        const download = page.waitForEvent("download");
        await page.click("#export-scene");
        assert.match(readFileSync(await (await download).path(), "utf8"), /As changed in the viewer[^]*A pool/);
        await page.click("#tool-inspect");
        const [x, y] = await screenOf(page, [0, 0.05, 0]);
        await page.mouse.click(x, y);
        await waitFor(page, () => document.getElementById("inspected")?.textContent.includes("particle"));
        await page.click("#tool-look");
        await openTab(page, "View");
        await page.selectOption("#coloring", "0");
    },
    async "the gallery opens"({ page }) {
        await openTab(page, "Scenes");
        await page.click('[data-scene="drop-2d"]');
        await waitFor(page, () => window.coulis.scene()?.scene === "drop-2d" && window.coulis.frame()?.count > 100);
    },
};

// A server that is started anew finds its viewers back.
async function testReconnect(browser) {
    const { page } = browser,
        scene = join(folder, "block.lua");
    let server = await startServer(coulis, scene, "--threads", "1");
    await page.goto(server.url);
    await waitFor(page, () => document.body.dataset.time > 0.1);
    const port = String(server.port);
    assert.equal(await server.stop(), 0);
    await waitFor(page, () => document.body.dataset.link === "lost");
    server = await startServer(coulis, scene, "--threads", "1", "--port", port);
    await waitFor(page, () => document.body.dataset.link === "open");
    await waitFor(page, () => window.coulis.frame()?.time > 0.1);
    await page.evaluate(() => document.getElementById("surface").click());
    await page.waitForTimeout(200);
    const at = await time(page);
    await waitFor(page, (t) => Number(document.body.dataset.time) > t, at);
    await page.screenshot({ path: join(pictures, "viewer-surface.png") });
    assert.equal(await server.stop(), 0);
}

// A deformable solid is seen, and follows the pointer.
async function testSolid({ page }) {
    const server = await startServer(coulis, join(folder, "jelly.lua"), "--threads", "1");
    await page.goto(server.url);
    await waitFor(page, () => window.coulis.solidAt("jelly") !== null && document.body.dataset.time > 0.3);
    const [x, y] = await page.evaluate(() => window.coulis.solidAt("jelly").screen);
    const color = await page.evaluate(([u, v]) => {
        const canvas = document.getElementById("stage"),
            gl = canvas.getContext("webgl2"),
            pixel = new Uint8Array(4),
            scale = canvas.width / canvas.clientWidth;
        gl.readPixels(u * scale, canvas.height - v * scale, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        return [...pixel];
    }, [x, y]); // prettier-ignore
    assert.ok(color[0] > 2 * color[1] && color[0] > 2 * color[2], `red where the jelly is: ${color}`);
    const [u, v] = await screenOf(page, [-0.1, 0.25, 0]);
    await page.click("#tool-drag");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(u, v, { steps: 5 });
    await page.waitForTimeout(50);
    await page.mouse.move(u + 1, v);
    await waitFor(page, () => window.coulis.solidAt("jelly").position[1] > 0.15);
    await page.screenshot({ path: join(pictures, "viewer-solid.png") });
    await page.mouse.up();
    await waitFor(page, () => window.coulis.solidAt("jelly").position[1] < 0.1);
    assert.equal(await server.stop(), 0);
}

// The bunny of the thesis by hand: fill the mould, add springs, remove the mould, squash, raise plasticity, squash, delete springs.
async function testCasting({ page }) {
    const server = await startServer(coulis, join(folder, "casting.lua"), "--threads", "1"),
        wait = async (seconds) => {
            const start = await time(page);
            await waitFor(page, (t) => Number(document.body.dataset.time) > t, start + seconds);
            return (await frame(page)).height;
        },
        choose = async (value) => {
            await openTab(page, "Knobs");
            await page.locator("#knob-0-springs select").selectOption(value);
            await waitFor(page, () => document.getElementById("knob-0-springs").classList.contains("changed"));
        },
        squash = async () => {
            await page.mouse.click(...(await screenOf(page, [0, 0.75, 0])));
            return wait(0.5);
        };
    await page.goto(server.url);
    await waitFor(page, () => document.body.dataset.count > 300);
    await openTab(page, "View");
    await page.selectOption("#speed", "0");
    await page.click("#add-springs");
    await wait(0.1);
    await page.click("#tool-remove");
    await page.mouse.click(...(await page.evaluate(() => window.coulis.bodyAt("mould").screen)));
    await waitFor(page, () => window.coulis.bodyAt("mould") === null);
    const standing = await wait(1);
    assert.ok(standing > 0.1, `with springs it stands: ${standing}`);
    await page.click("#tool-drop");
    await page.selectOption("[aria-label=shape]", "1");
    const pressed = await squash();
    await choose("plastic");
    const squashed = await squash();
    assert.ok(squashed < 0.95 * standing, `squashed from ${standing} to ${squashed}`);
    await choose("none");
    await openTab(page, "View");
    await page.click("#delete-springs");
    const flown = await wait(1.5);
    console.log(`mean heights: ${[standing, pressed, squashed, flown].map((h) => h.toFixed(3)).join(", ")} m`);
    assert.ok(flown < 0.8 * squashed, `without springs it flows away: ${squashed} to ${flown}`);
    assert.equal(await server.stop(), 0);
}

// By touch on a narrow screen: nothing sticks out, a finger pours.
async function testPhone(url) {
    const browser = await startBrowser({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }),
        { page, complaints } = browser;
    await page.goto(url);
    await waitFor(page, () => document.body.dataset.count > 100);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${width} px wide`);
    for (const id of ["play", "reset", "panel-button", "tool-pour"]) {
        const box = await page.locator(`#${id}`).boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= 360 && box.height >= 32, `${id}: ${JSON.stringify(box)}`);
    }
    await page.tap("#panel-button");
    await page.tap("#tab-Knobs");
    await page.screenshot({ path: join(pictures, "viewer-phone.png") });
    await page.tap("#panel-button");
    await page.tap("#tool-pour");
    const before = Number(await data(page, "count")),
        [x, y] = await screenOf(page, [0.05, 0.6, 0]);
    const touch = await page.context().newCDPSession(page);
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: x + 2, y }] });
    await waitFor(page, (n) => Number(document.body.dataset.count) > n, before);
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    assert.deepEqual(complaints, []);
    await browser.stop();
}

async function main() {
    let server = await startServer(coulis, join(folder, "pool.lua"), "--threads", "1");
    const browser = await startBrowser();
    const run = async (name, test) => {
        const start = Date.now();
        await test();
        console.log(`${name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
    };
    try {
        await browser.page.goto(server.url);
        for (const [name, test] of Object.entries(tests)) await run(name, () => test(browser));
        assert.deepEqual(browser.complaints, []);
        await browser.page.goto("about:blank");
        await run("a phone", async () => {
            await server.stop();
            server = await startServer(coulis, join(folder, "pool.lua"), "--threads", "1");
            await testPhone(server.url);
        });
        await run("a solid", () => testSolid(browser));
        await run("a casting by hand", () => testCasting(browser));
        await run("reconnect", () => testReconnect(browser));
    } finally {
        await browser.stop();
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
    }
}

await main();
