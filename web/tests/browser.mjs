// What the tests of the page share: a server, a browser, waiting.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const TOKEN = "page-test-token-0123456789";
export const LIMIT = 240000; // [ms]; means never

/** `coulis view` as a child, once it has said where it is. */
export async function startServer(coulis, ...options) {
    const child = spawn(coulis, ["view", ...options], {
        env: { ...process.env, COULIS_VIEW_TOKEN: TOKEN },
        stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "",
        complaints = "";
    child.stderr.on("data", (data) => {
        complaints += data;
    });
    const url = await new Promise((resolve, reject) => {
        child.stdout.on("data", (data) => {
            said += data;
            if (said.includes("\n")) resolve(said.split("\n")[0]);
        });
        child.on("exit", (code) => reject(new Error(`coulis view ends with ${code}: ${complaints}`)));
    });
    const stop = () =>
        new Promise((resolve) => {
            if (child.exitCode !== null) return resolve(child.exitCode);
            child.on("exit", resolve);
            child.kill("SIGTERM");
        });
    return { url, port: Number(new URL(url).port), stop, child };
}

/** Chromium with software GL; what the page complains about is kept. */
export async function startBrowser(options = {}) {
    const profile = mkdtempSync(join(tmpdir(), "coulis-page-"));
    const context = await chromium.launchPersistentContext(profile, {
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        headless: true,
        viewport: { width: 1280, height: 720 },
        ...options,
        args: [
            "--no-sandbox",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ],
    });
    const page = context.pages()[0],
        complaints = [];
    page.setDefaultTimeout(LIMIT);
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    const stop = async () => {
        await context.close();
        rmSync(profile, { recursive: true, force: true });
    };
    return { page, context, complaints, stop };
}

export const waitFor = (page, expression, argument) => page.waitForFunction(expression, argument, { timeout: LIMIT });
