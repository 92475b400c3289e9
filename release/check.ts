/**
 * `npm run release:check`: from a clean clone, starts the clone itself, the package, the executable and the image, and checks each
 * (conformance.ts); then uses the package as a library, runs the Python examples and builds the site of the documents. `--here` builds from this
 * folder instead, with what is not committed; `--only clone|package|library|binary|image|python|site` checks one of them.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Command, startArtefact } from "./artefact.ts";
import { checkConformance } from "./conformance.ts";
import { checkLibrary } from "./library.ts";
import { findNode, MAJORS } from "./nodes.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** Of the surrounding environment, what npm needs to reach its registry. */
const FOR_NPM = /^(?:HOME|USERPROFILE|TMPDIR|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_.*)$/i;

const { values } = parseArgs({
  options: { here: { type: "boolean", default: false }, only: { type: "string" } },
});
const isWanted = (name: string) => values.only === undefined || values.only === name;
const folder = mkdtempSync(join(tmpdir(), "turngate-release-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const source = values.here ? ROOT : cloneTo(join(folder, "clone"));
const run = (script: string): string => {
  console.log(`running: npm run ${script}`);
  return execFileSync("npm", ["run", "-s", script], { cwd: source, encoding: "utf8" });
};
const build = (script: string): string => run(script).trim().split("\n").at(-1) ?? "";

if (isWanted("clone")) {
  // With the oldest Node that may start it, and with its data elsewhere.
  const node = findNode(Math.min(...MAJORS), folder);
  if (node === null) skip("the clone, for want of an older Node");
  else {
    const config = join(folder, "clone.yaml");
    writeFileSync(config, "providers: { simulated: { type: simulated } }\n");
    const data = { DATABASE_URL: `sqlite:${join(folder, "clone-data/turngate.db")}`, TURNGATE_CONFIG: config };
    const variables = { ...variablesFor(node.path), ...data };
    await check(`clone with Node ${node.version}`, { words: ["npm", "start"], folder: source, variables });
  }
}
if (isWanted("package") || isWanted("library")) {
  const tarball = build("build:package");
  for (const major of MAJORS) {
    const node = findNode(major, folder);
    if (node === null) {
      skip(`Node ${major}, which is not on this machine and which npm has not brought`);
      continue;
    }
    const variables = variablesFor(node.path);
    const words = ["npx", "--yes", `--package=${tarball}`, "turngate", "serve"] as const;
    const command = { words, folder: join(folder, `package-${major}`), variables };
    // oxlint-disable no-await-in-loop -- one after the other, on a machine that they would share
    if (isWanted("package")) await check(`package on Node ${node.version}`, command);
    if (isWanted("library")) {
      const seconds = await checkLibrary({
        tarball,
        node,
        folder: join(folder, `library-${major}`),
        clone: source,
        variables,
      });
      console.log(`ok  library on Node ${node.version}: ${seconds.toFixed(1)} s`);
    }
    // oxlint-enable no-await-in-loop
  }
}
if (isWanted("binary")) {
  // Away from the clone, beside nothing.
  const binary = join(folder, "binary", "turngate");
  const built = build("build:binary");
  mkdirSync(dirname(binary));
  cpSync(built, binary);
  const command = {
    words: [binary, "serve"],
    folder: join(folder, "binary-run"),
    variables: { PATH: "/nonexistent" },
  } as const;
  await check("binary without Node on its PATH", command);
}
if (isWanted("image")) {
  // Without Docker: test/deploy/main.ts
  if (process.platform !== "linux" || process.getuid?.() !== 0) skip("the image, whose steps need root on Linux");
  else for (const held of run("test:image").matchAll(/^✓ (.+)$/gm)) console.log(`ok  image: ${held[1]}`);
}
if (isWanted("python")) {
  const printed = run("test:python");
  const skipped = /# (?:SKIP )?(.+)$/m.exec(printed)?.[1];
  if (skipped === undefined) console.log("ok  the Python examples of the documents");
  else skip(`Python, since ${skipped}`);
}
if (isWanted("site")) {
  run("build:site");
  console.log("ok  the site of the documents, without dead links");
}

function skip(what: string): void {
  console.log(`not tried: ${what}`);
  process.exitCode = 1;
}

async function check(name: string, command: Command): Promise<void> {
  const artefact = await startArtefact(command);
  try {
    await checkConformance(artefact, (held) => console.log(`ok  ${name}: ${held}`));
    assert.match(artefact.pasteCommand(), /sk_\w+/);
    console.log(`ok  ${name}: the greeting's command as pasted`);
  } finally {
    await artefact.stop();
  }
  console.log(`ok  ${name}: greeted within ${artefact.startSeconds.toFixed(1)} s of the command, and stopped in order`);
}

/** Clones the commit that is checked out, and installs what it locks. */
function cloneTo(clone: string): string {
  const git = (...words: readonly string[]) => execFileSync("git", words, { cwd: ROOT, encoding: "utf8" }).trim();
  if (git("status", "--porcelain") !== "") console.log("what is not committed is not checked");
  console.log(`cloning ${git("rev-parse", "--short", "HEAD")}`);
  git("clone", "--quiet", "--no-hardlinks", ROOT, clone);
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: clone, stdio: "ignore" });
  return clone;
}

/** A machine with that Node only, whose user has no caches. */
function variablesFor(node: string): Record<string, string> {
  const bin = join(folder, `bin-${dirname(node).replaceAll(/\W/g, "-")}`);
  mkdirSync(bin, { recursive: true });
  cpSync(node, join(bin, "node"));
  const npm = join(dirname(findNpm()), "npx-cli.js");
  writeFileSync(join(bin, "npx"), `#!/bin/sh\nexec node "${npm}" "$@"\n`, { mode: 0o755 });
  writeFileSync(join(bin, "npm"), `#!/bin/sh\nexec node "${findNpm()}" "$@"\n`, { mode: 0o755 });
  const inherited = Object.entries(process.env).filter(([name]) => FOR_NPM.test(name));
  return {
    ...Object.fromEntries(inherited.map(([name, value]) => [name, value ?? ""])),
    PATH: `${bin}:/usr/bin:/bin`,
    XDG_CACHE_HOME: join(folder, "cache"),
    npm_config_cache: join(folder, "npm-cache"),
  };
}

function findNpm(): string {
  const npm = process.env["npm_execpath"];
  if (npm === undefined) throw new Error("start this with npm run release:check");
  return npm;
}
