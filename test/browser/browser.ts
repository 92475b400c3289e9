// A real browser: the Chromium of an npm package, so that nothing has to be installed by hand.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, type BrowserServer, chromium } from "playwright-core";
import manifest from "../../package.json" with { type: "json" };
import { askFor } from "../support/shared.ts";

const CLONE = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = join(CLONE, "node_modules/.cache/turngate-browser");

/** Generous: the machine may be busy with other tests. */
export const WAIT_MS = 30_000;

/** The package has its binary for Linux on x64 only; elsewhere CHROMIUM_PATH names a browser. */
const OWN_BROWSER = process.env["CHROMIUM_PATH"] ?? null;

/** The reason why there is no browser; false if there is one. */
export const NO_BROWSER: string | false =
  OWN_BROWSER === null && (process.platform !== "linux" || process.arch !== "x64")
    ? "no Chromium for this platform: set CHROMIUM_PATH to one"
    : false;

/** The browser that the runner shares, or one of this process. Closing it ends the windows that this process opened. */
export async function launchBrowser(): Promise<Browser> {
  const shared = await askFor("browser");
  return shared === null ? chromium.launch(await options()) : chromium.connect(shared);
}

/** Called in the runner's process: a browser for all files of a run. */
export async function serveBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ ...(await options()), host: "127.0.0.1" });
}

async function options() {
  return {
    executablePath: OWN_BROWSER ?? (await unpackChromium()),
    args: [
      "--headless=shell",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // The same screen has the same pixels, however it came about.
      "--disable-partial-raster",
    ],
  };
}

/** Unpacks the binary once. The package would do so into the shared temporary folder, where a half-written one may lie. */
async function unpackChromium(): Promise<string> {
  const folder = join(CACHE, manifest.devDependencies["@sparticuz/chromium"]);
  const path = join(folder, "chromium");
  if (existsSync(path)) return path;
  await mkdir(CACHE, { recursive: true });
  const staging = await mkdtemp(join(CACHE, "unpacking-"));
  // In a process of its own: files that the runner starts meanwhile would inherit this folder, and find it gone.
  const unpack = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())';
  await promisify(execFile)(process.execPath, ["-e", unpack], { cwd: CLONE, env: { ...process.env, TMPDIR: staging } });
  // Another process may have been faster: its binary is the same.
  await rename(staging, folder).catch(() => rm(staging, { recursive: true, force: true }));
  return path;
}
