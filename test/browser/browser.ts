// A real browser: the Chromium of an npm package, so that nothing has to be installed by hand.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import manifest from "../../package.json" with { type: "json" };

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

let shared: Browser | null = null;

/** Runs test files that share one browser: to start it takes a second of processor time. */
export async function withSharedBrowser(runFiles: () => Promise<void>): Promise<void> {
  if (NO_BROWSER === false) shared = await launch();
  await runFiles();
  await shared?.close();
}

/** The browser that the files of this process share, or else a new one. */
export async function launchBrowser(): Promise<Browser> {
  return shared ?? launch();
}

/** Ends a browser; of one that files share, the windows. */
export async function closeBrowser(browser: Browser): Promise<void> {
  if (browser === shared) await Promise.all(browser.contexts().map((context) => context.close()));
  else await browser.close();
}

async function launch(): Promise<Browser> {
  return chromium.launch({
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
      // No optimizing compiler: it takes a fifth of a window's processor time, and most windows close before that pays off.
      "--js-flags=--no-opt",
    ],
  });
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
