// Finds the Node that Turngate runs on, for a process that runs on an older one. Plain JavaScript that Node 20 can read; it imports nothing
// but Node's own modules. Why one runtime: docs/decisions/package.md
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const NODE_MAJOR_MIN = 26;
/** As in the first line of turngate.js. */
export const FLAGS = ["--max-semi-space-size=64", "--v8-pool-size=1"];
/** In the npm package: a package.json that names Node 26 for each platform, and its lockfile. A clone has its own. */
const LOCKED = fileURLToPath(new URL("../runtime/", import.meta.url));

/** Whether Turngate runs on that version of Node. */
export function isRuntime(version) {
  return Number.parseInt(version, 10) >= NODE_MAJOR_MIN;
}

/**
 * The path of a Node that Turngate runs on: this one, the platform's package if it is installed, or the one that npm
 * fetches into the user's cache, once. Rejects with an Error that says what to install.
 */
export async function findRuntime() {
  if (isRuntime(process.versions.node)) return process.execPath;
  const require = createRequire(import.meta.url);
  const installed = findBinary((path) => require.resolve(path));
  if (installed !== null) return installed;
  if (existsSync(LOCKED)) return fetchRuntime();
  throw new Error(
    `this is Node ${process.versions.node}, but Turngate needs Node ${NODE_MAJOR_MIN}, and npm has not installed it: it is an optional package, for x64 and arm64. Run \`npm ci --include=optional\`, or install Node ${NODE_MAJOR_MIN} (on Alpine, where that package does not run).`,
  );
}

/** A folder for what can be made again, of this user alone. */
export function cacheFolder(name) {
  const { LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  return join(XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), ".cache"), "turngate", name);
}

/** Replaces this process by one of that Node where the platform can; elsewhere runs it and ends as it ends. */
export function startAgain(node, words) {
  const all = [...FLAGS, ...process.execArgv, ...words];
  if (process.execve !== undefined && process.platform !== "win32") process.execve(node, [node, ...all], process.env);
  const child = spawn(node, all, { stdio: "inherit" });
  // A supervisor signals this process only.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`error: ${node} can't be started: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** The binary of this platform's package; null where it is not installed. */
function findBinary(resolve) {
  const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "node.exe" : "node";
  for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
    try {
      const { version } = JSON.parse(readFileSync(resolve(`${name}/package.json`), "utf8"));
      if (isRuntime(version)) return resolve(`${name}/bin/${file}`);
    } catch {
      // The other name, or none.
    }
  }
  return null;
}

/** Installs the locked runtime beside those of other versions; npm checks it against the hash in the lockfile. */
async function fetchRuntime() {
  const lock = readFileSync(join(LOCKED, "package.json"), "utf8");
  const folder = cacheFolder(`node-${JSON.parse(lock).version}`);
  const inFolder = (root) => (path) => {
    const found = join(root, "node_modules", path);
    if (!existsSync(found)) throw new Error(`${found} does not exist`);
    return found;
  };
  const cached = findBinary(inFolder(folder));
  if (cached !== null) return cached;
  console.error(
    `Turngate runs on Node ${NODE_MAJOR_MIN}, and this is Node ${process.versions.node}: npm fetches it into ${folder}, once.`,
  );
  mkdirSync(cacheFolder(""), { recursive: true });
  // Beside its place, then moved there: two processes may do this at once, and either may be killed.
  const staging = mkdtempSync(`${folder}-`);
  try {
    cpSync(LOCKED, staging, { recursive: true });
    await runNpm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], staging);
    if (findBinary(inFolder(staging)) === null) throw new Error("there is none for this platform");
    // A broken one; a good one is of another process that was faster.
    if (findBinary(inFolder(folder)) === null) rmSync(folder, { recursive: true, force: true });
    renameSync(staging, folder);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    const other = findBinary(inFolder(folder));
    if (other !== null) return other;
    throw new Error(
      `Node ${NODE_MAJOR_MIN} can't be fetched by npm: ${error.message}. Install Node ${NODE_MAJOR_MIN}.`,
      { cause: error },
    );
  }
  return findBinary(inFolder(folder));
}

function runNpm(words, folder) {
  // npm and npx say where npm is.
  const script = process.env.npm_execpath?.replace(/npx-cli\.js$/, "npm-cli.js") ?? "";
  const [command, first] = script.endsWith("npm-cli.js") ? [process.execPath, [script]] : ["npm", []];
  return new Promise((resolve, reject) => {
    const options = {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      shell: command === "npm" && process.platform === "win32",
    };
    const child = spawn(command, [...first, ...words], options);
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (complaint = (complaint + text).slice(-2000)));
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(complaint.trim().split("\n").join("; ") || `npm ended with ${code}`)),
    );
  });
}
