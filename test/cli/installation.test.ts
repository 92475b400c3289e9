// The command on a Node that Turngate can't run on, and in a clone in which something is not installed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runtimeProject } from "../../release/manifest.ts";

const CLONE = fileURLToPath(new URL("../..", import.meta.url));
const PLATFORM = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const { manifest: project, lockfile } = runtimeProject();
const NAME = Object.keys((project as { optionalDependencies: object }).optionalDependencies).find((name) =>
  name.endsWith(PLATFORM),
);
const VERSION = (project as { version: string }).version;

const folder = mkdtempSync(join(tmpdir(), "turngate-installation-"));
after(() => rmSync(folder, { recursive: true, force: true }));

// Shows the process that it preloads as an older Node, but not the one that this starts.
const older = join(folder, "older.mjs");
writeFileSync(
  older,
  `if (process.env.IS_NEW === undefined) {
     Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });
     if (process.env.CANNOT_REPLACE !== undefined) process.execve = undefined;
     process.env.IS_NEW = "1";
   }`,
);

/** A clone or a package, with a program that prints how it was started. */
function install(name: string, entry: string): string {
  const root = join(folder, name);
  mkdirSync(join(root, entry, ".."), { recursive: true });
  for (const path of ["bin", "package.json"]) cpSync(join(CLONE, path), join(root, path), { recursive: true });
  writeFileSync(join(root, entry), "console.log(JSON.stringify([process.argv.slice(2), process.execArgv]));");
  return root;
}

interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(root: string, { isOlder = true, variables = {} } = {}): Run {
  const flags = isOlder ? ["--import", older] : [];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, join(root, "bin/turngate.js"), "serve"], {
    env: { PATH: process.env["PATH"] ?? "", XDG_CACHE_HOME: join(root, "cache"), ...variables },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** The runtime's package in a node_modules folder: a link to this Node. */
const RUNTIME = `
  const { mkdirSync, symlinkSync, writeFileSync } = process.getBuiltinModule("node:fs");
  mkdirSync("node_modules/${NAME}/bin", { recursive: true });
  writeFileSync("node_modules/${NAME}/package.json", '{"version":"${VERSION}"}');
  symlinkSync(${JSON.stringify(process.execPath)}, "node_modules/${NAME}/bin/node");`;

/** A package with a lockfile of the runtime, and an npm that runs a script in its place. */
function installPackage(name: string, script: string): { root: string; variables: Record<string, string> } {
  const root = install(name, "lib/main.cjs");
  mkdirSync(join(root, "runtime"));
  writeFileSync(join(root, "runtime/package.json"), JSON.stringify(project));
  writeFileSync(join(root, "runtime/package-lock.json"), JSON.stringify(lockfile));
  const npm = join(root, "npx-cli.js");
  writeFileSync(npm, "");
  writeFileSync(join(root, "npm-cli.js"), script);
  return { root, variables: { npm_execpath: npm } };
}

const STARTED = /^\[\["serve"\],\["--max-semi-space-size=64","--v8-pool-size=1",/;

test("in a clone without node_modules the command asks for `npm ci`, on any Node", () => {
  const root = install("empty-clone", "src/main.ts");
  for (const isOlder of [false, true]) {
    const { status, stderr } = run(root, { isOlder });
    assert.equal(stderr, "error: dependencies are not installed; run `npm ci` first.\n");
    assert.equal(status, 1);
  }
});

test("in a clone without the runtime an older Node gets a message where Node 26 comes from", () => {
  const root = install("clone-without-runtime", "src/main.ts");
  mkdirSync(join(root, "node_modules"));
  const { status, stderr } = run(root);
  assert.match(stderr, /^error: this is Node 20\.1\.0, but Turngate needs Node 26, .*--include=optional.*\n$/);
  assert.equal(status, 1);
});

for (const [how, variables] of [
  ["replaces itself by", {}],
  ["starts, where it can't be replaced,", { CANNOT_REPLACE: "1" }],
] as const) {
  test(`in a clone with the runtime an older Node ${how} the newer one, with the flags of the command`, () => {
    const root = install(`clone ${how}`, "src/main.ts");
    mkdirSync(join(root, "node_modules", NAME ?? "", "bin"), { recursive: true });
    writeFileSync(join(root, "node_modules", NAME ?? "", "package.json"), JSON.stringify({ version: VERSION }));
    symlinkSync(process.execPath, join(root, "node_modules", NAME ?? "", "bin/node"));
    const { status, stdout, stderr } = run(root, { variables });
    assert.match(stdout, STARTED, stderr);
    assert.equal(status, 0);
  });
}

test("the package fetches the runtime by npm, from its lockfile and without scripts, once", () => {
  const { root, variables } = installPackage(
    "package",
    `const [, , ...words] = process.argv;
     if (words[0] !== "ci" || !words.includes("--ignore-scripts")) process.exit(3);
     if (!process.getBuiltinModule("node:fs").readFileSync("package-lock.json", "utf8").includes("sha512-")) process.exit(4);
     ${RUNTIME}`,
  );
  const first = run(root, { variables });
  assert.match(first.stdout, STARTED, first.stderr);
  assert.match(first.stderr, /^Turngate runs on Node 26, and this is Node 20\.1\.0: npm fetches it into .*, once\.\n$/);
  writeFileSync(join(root, "npm-cli.js"), "process.exit(5)");
  const second = run(root, { variables });
  assert.match(second.stdout, STARTED, second.stderr);
  assert.equal(second.stderr, "");
});

for (const [how, script, message] of [
  [
    "fails",
    `console.error("no such host"); process.exit(1)`,
    /can't be fetched by npm: no such host\. Install Node 26\./,
  ],
  [
    "has no runtime for the platform",
    "",
    /can't be fetched by npm: there is none for this platform\. Install Node 26\./,
  ],
] as const) {
  test(`an npm that ${how} leaves a message and nothing else`, () => {
    const { root, variables } = installPackage(`package that ${how}`, script);
    const { status, stderr } = run(root, { variables });
    assert.match(stderr, message);
    assert.equal(status, 1);
    assert.ok(!existsSync(join(root, `cache/turngate/node-${VERSION}`)));
  });
}
