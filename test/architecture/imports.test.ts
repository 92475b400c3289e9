// The rings of docs/architecture.md: the imports allowed to each folder. Extend the table with a decision, not with an exception.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Import, type Module, readProgram } from "./modules.ts";

/** A package is a ring of its own name. */
const inPackages = (path: string) => path.replace("../packages/", "");
const modules = readProgram().map(
  ({ path, code, imports }): Module => ({
    path: inPackages(path),
    code,
    imports: imports.map((found) => ({ ...found, target: found.target === null ? null : inPackages(found.target) })),
  }),
);

/** Clients of the published interfaces that come with the program; the command line loads them by one module. */
const SATELLITES = ["litellm", "notify"];
const LOADER = "cli/satellites.ts";

type Allowance =
  | "values"
  /** Only `import type`. */
  | "types";

interface Ring {
  /** Other rings by folder, or a folder inside one. The ring itself is always allowed. */
  readonly rings: Readonly<Record<string, Allowance>>;
  /** Packages and `node:` modules: any, or only these. */
  readonly packages: "any" | readonly string[];
}

const SHELL: Ring = {
  // Errors of the ports are classes: throwing one takes its value.
  rings: { base: "values", contract: "values", ports: "values", core: "types" },
  packages: "any",
};

/** What each ring may import. A path with a slash is a ring of its own. */
const RINGS: Readonly<Record<string, Ring>> = {
  base: { rings: {}, packages: [] },
  contract: { rings: {}, packages: ["typebox"] },
  openapi: { rings: { contract: "values" }, packages: ["typebox"] },
  core: { rings: { base: "values", contract: "values" }, packages: [] },
  ports: { rings: { contract: "values", core: "types" }, packages: [] },
  flows: { rings: { base: "values", contract: "values", core: "values", ports: "values" }, packages: [] },
  // An operation of management is defined once, with what it does: below its shells, above the rules that it calls.
  manage: {
    rings: {
      base: "values",
      contract: "values",
      core: "values",
      ports: "values",
      flows: "values",
      "kit/explain.ts": "values",
    },
    packages: ["typebox"],
  },
  "openapi/manage": { rings: { openapi: "values", contract: "values", manage: "values" }, packages: ["typebox"] },
  // What a clone, the npm package and the single executable keep in different places; folders for data.
  installation: { rings: {}, packages: "any" },
  store: {
    ...SHELL,
    rings: {
      ...SHELL.rings,
      "core/access": "values",
      "core/explanations": "values",
      "core/money": "values",
      installation: "values",
      "kit/lock.ts": "values",
    },
  },
  providers: SHELL,
  // What the program and its satellites share: errors in one line, files of a shape, output, locks.
  kit: { rings: {}, packages: "any" },
  ...Object.fromEntries(SATELLITES.map((name) => [name, { rings: { kit: "values" }, packages: "any" }])),
  // The system mints API keys; core/access knows their format.
  system: { ...SHELL, rings: { ...SHELL.rings, "core/access": "values", "core/money": "values" } },
  // The part below both servers. It calls no flow.
  "server/shared": {
    rings: { base: "values", contract: "values", ports: "values", flows: "types", installation: "values" },
    packages: "any",
  },
  "server/v1": {
    rings: { base: "values", contract: "values", ports: "values", flows: "values", "server/shared": "values" },
    packages: "any",
  },
  // Bodies are read as under /v1.
  "server/manage": {
    rings: {
      contract: "values",
      ports: "types",
      flows: "values",
      manage: "values",
      "server/shared": "values",
      installation: "values",
    },
    packages: "any",
  },
  // Names and defaults belong to the families; the configuration is checked against them here.
  config: {
    rings: {
      contract: "values",
      core: "values",
      providers: "values",
      installation: "values",
      kit: "values",
      "system/log-levels.ts": "values",
    },
    packages: "any",
  },
  // Everything but the command line, which starts it.
  boot: {
    rings: {
      base: "values",
      contract: "values",
      openapi: "values",
      manage: "values",
      core: "values",
      ports: "values",
      flows: "values",
      store: "values",
      providers: "values",
      server: "values",
      system: "values",
      config: "values",
      installation: "values",
      kit: "values",
    },
    packages: "any",
  },
};

/** May import everything: the command line, the library and the entry. */
const OUTERMOST = ["cli", "library", "main.ts"];

test("modules are found", () => {
  assert.ok(modules.length > 50, `only ${modules.length} modules were read`);
  const read = new Set(modules.map(({ path }) => ringOf(path)));
  for (const ring of [...Object.keys(RINGS), ...OUTERMOST]) assert.ok(read.has(ring), ring);
  assert.ok(modules.some(({ imports }) => imports.length > 5));
});

test("every module belongs to a ring of the table", () => {
  const strays = modules.filter(({ path }) => !(ringOf(path) in RINGS) && !OUTERMOST.includes(ringOf(path)));
  assert.deepEqual(
    strays.map(({ path }) => path),
    [],
  );
});

test("every import is one that the table allows", () => {
  assert.deepEqual(modules.flatMap(findForbidden), []);
});

test("the command line loads the satellites by one module", () => {
  const loaders = modules.filter(
    ({ path, imports }) =>
      !SATELLITES.includes(ringOf(path)) && imports.some(({ target }) => SATELLITES.includes(ringOf(target ?? ""))),
  );
  assert.deepEqual(
    loaders.map(({ path }) => path),
    [LOADER],
  );
});

test("the table rejects forbidden imports", () => {
  const forbidden = (path: string, found: Partial<Import>) =>
    findForbidden({ path, code: "", imports: [{ specifier: "x", target: null, isTypeOnly: false, ...found }] }).length;
  assert.equal(forbidden("contract/ids.ts", { target: "core/models/catalog.ts" }), 1);
  assert.equal(forbidden("contract/ids.ts", { specifier: "node:fs" }), 1);
  assert.equal(forbidden("core/models/catalog.ts", { specifier: "typebox" }), 1);
  assert.equal(forbidden("store/sqlite/open.ts", { target: "core/response/turn.ts" }), 1);
  assert.equal(forbidden("store/sqlite/open.ts", { target: "core/response/turn.ts", isTypeOnly: true }), 0);
  assert.equal(forbidden("flows/run.ts", { target: "server/v1/sse.ts", isTypeOnly: true }), 1);
  assert.equal(forbidden("server/v1/sse.ts", { target: "core/models/catalog.ts", isTypeOnly: true }), 1);
  assert.equal(forbidden("server/shared/body.ts", { target: "server/v1/sse.ts" }), 1);
  assert.equal(forbidden("config/environment.ts", { target: "system/log.ts" }), 1);
  assert.equal(forbidden("system/ids.ts", { target: "config/config.ts" }), 1);
  assert.equal(forbidden("boot/serve.ts", { target: "cli/commands/doctor.ts" }), 1);
  assert.equal(forbidden("boot/serve.ts", { target: "server/v1/server.ts" }), 0);
  assert.equal(forbidden("notify/feed.ts", { target: "../src/contract/ids.ts", isTypeOnly: true }), 1);
  assert.equal(forbidden("flows/run.ts", { target: "notify/feed.ts" }), 1);
});

test("there are no import cycles, type imports included", () => {
  assert.equal(findCycle(modules), null);
});

test("an import cycle is found", () => {
  const module = (path: string, target: string): Module => ({
    path,
    code: "",
    imports: [{ specifier: "", target, isTypeOnly: true }],
  });
  assert.deepEqual(findCycle([module("a", "b"), module("b", "c"), module("c", "b")]), ["b", "c", "b"]);
});

test("the pure rings use no clock, randomness, async code or process", () => {
  const pure = modules.filter(({ path }) => ["base", "contract", "core", "openapi"].includes(ringOf(path)));
  assert.ok(pure.length > 20);
  assert.deepEqual(pure.flatMap(findImpure), []);
});

test("impure code is found", () => {
  const impure = (code: string) => findImpure({ path: "core/x.ts", code, imports: [] }).length;
  for (const code of [
    "async function f() {}",
    "await x",
    "new Date()",
    "new Date",
    "Date()",
    "Date.now()",
    "const { now } = Date",
    "Temporal.Now.instant()",
    "Math.random()",
    "process.env",
    "fetch(url)",
    "setTimeout(f)",
    "new Promise(f)",
    "performance.now()",
    "crypto.randomUUID()",
  ]) {
    assert.equal(impure(code), 1, code);
  }
  assert.equal(impure("const createdAt = candidate.updated; readDate(x); processed(x)"), 0);
  assert.equal(impure("new Date(ms).getUTCDate(); Date.parse(text); Date.UTC(2026, 0)"), 0);
});

/** The ring of a path below src/: its first folder, its first two where these are a ring, or the file itself. */
function ringOf(path: string): string {
  const [first = path, second = ""] = path.split("/");
  const inner = `${first}/${second}`;
  return inner in RINGS ? inner : first;
}

function findForbidden({ path, imports }: Module): string[] {
  const own = ringOf(path);
  const ring = RINGS[own];
  if (ring === undefined) return [];
  return imports
    .filter((found) => !isAllowed(own, ring, found))
    .map(({ specifier, isTypeOnly }) => `${path} imports ${isTypeOnly ? "types of " : ""}${specifier}`);
}

function isAllowed(own: string, ring: Ring, found: Import): boolean {
  const { specifier, target, isTypeOnly } = found;
  if (target === null) {
    return (
      ring.packages === "any" || ring.packages.some((name) => specifier === name || specifier.startsWith(`${name}/`))
    );
  }
  if (ringOf(target) === own) return true;
  return Object.entries(ring.rings).some(
    ([place, allowance]) =>
      (target === place || target.startsWith(`${place}/`)) && (allowance === "values" || isTypeOnly),
  );
}

/** The paths of one import cycle, the first again at the end; null when there is none. */
function findCycle(all: readonly Module[]): string[] | null {
  const byPath = new Map(all.map((module) => [module.path, module]));
  const done = new Set<string>();

  function follow(path: string, trail: readonly string[]): string[] | null {
    const start = trail.indexOf(path);
    if (start >= 0) return [...trail.slice(start), path];
    if (done.has(path)) return null;
    done.add(path);
    for (const { target } of byPath.get(path)?.imports ?? []) {
      const cycle = target === null ? null : follow(target, [...trail, path]);
      if (cycle !== null) return cycle;
    }
    return null;
  }

  for (const { path } of all) {
    const cycle = follow(path, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

/** `Date` is allowed with a given time, as a calendar: `new Date(ms)`, `Date.UTC(…)`, `Date.parse(…)`. */
const CLOCK = /(?<!\bnew )\bDate\b(?!\.(?:UTC|parse)\()|\bnew Date\b(?!\((?!\)))|\bTemporal\.Now\b/g;
const IMPURE =
  /\basync\b|\bawait\b|\bPromise\b|\bMath\.random\b|\bprocess\b|\bfetch\b|\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bperformance\b|\bcrypto\b|\bglobalThis\b/g;

function findImpure({ path, code }: Module): string[] {
  return [...code.matchAll(IMPURE), ...code.matchAll(CLOCK)].map(([word]) => `${path} says ${word}`);
}
