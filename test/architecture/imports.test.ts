// The rings of docs/architecture.md: who may import whom. Extend the table with a decision, not with an exception.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Import, type Module, readModules } from "./modules.ts";

const modules = readModules(new URL("../../src/", import.meta.url).pathname);

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
  rings: { contract: "values", ports: "values", core: "types" },
  packages: "any",
};

/** The table of docs/architecture.md. */
const RINGS: Readonly<Record<string, Ring>> = {
  contract: { rings: {}, packages: ["typebox"] },
  core: { rings: { contract: "values" }, packages: [] },
  ports: { rings: { contract: "values", core: "types" }, packages: [] },
  flows: { rings: { contract: "values", core: "values", ports: "values" }, packages: [] },
  // Its threads are paced as the flows are.
  store: {
    ...SHELL,
    rings: { ...SHELL.rings, "core/accounts": "values", "core/pacing": "values", "core/live-map": "values" },
  },
  // What a model says grows there too.
  providers: { ...SHELL, rings: { ...SHELL.rings, "core/text": "values" } },
  // It mints API keys; what one looks like is written in core/accounts/keys.
  system: { ...SHELL, rings: { ...SHELL.rings, "core/accounts": "values" } },
  http: { rings: { contract: "values", ports: "values", flows: "values", listener: "values" }, packages: "any" },
  // A body is read there as it is under /v1.
  manage: {
    rings: { contract: "values", ports: "types", flows: "values", listener: "values", "core/reading": "values" },
    packages: "any",
  },
  // What two servers have in common below their interfaces: it knows no flow.
  // Of the ports' values it takes the one that it must tell apart, StoreError.
  listener: { rings: { contract: "values", ports: "values" }, packages: "any" },
};

/** May import everything: boot/ and the command line. */
const OUTERMOST = ["boot", "main.ts"];

test("there are modules to look at", () => {
  assert.ok(modules.length > 50, `only ${modules.length} modules were read`);
  const read = new Set(modules.map(({ path }) => ringOf(path)));
  for (const ring of ["contract", "core", "ports", "flows", "http", "store", "system"]) assert.ok(read.has(ring), ring);
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

/** The floors of the embedded store, lowest first: each stands on those before it; rooms of one floor know each other. */
const STORE_FLOORS = [["database"], ["accounts", "histories", "money"], ["operations.ts"], ["workers"], ["open.ts"]];

test("the embedded store is built in floors: none imports one above it", () => {
  const floorOf = (path: string) => {
    const [, , room = ""] = path.split("/");
    return STORE_FLOORS.findIndex((rooms) => rooms.includes(room));
  };
  const within = modules.filter(({ path }) => path.startsWith("store/sqlite/"));
  assert.ok(within.length > 50);
  assert.deepEqual(
    within.filter(({ path }) => floorOf(path) < 0).map(({ path }) => path),
    [],
  );
  const upwards = within.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target?.startsWith("store/sqlite/") && floorOf(target) > floorOf(path))
      .map(({ target }) => `${path} → ${target}`),
  );
  assert.deepEqual(upwards, []);
});

test("the table forbids what it should", () => {
  const forbidden = (path: string, found: Partial<Import>) =>
    findForbidden({ path, code: "", imports: [{ specifier: "x", target: null, isTypeOnly: false, ...found }] }).length;
  assert.equal(forbidden("contract/ids.ts", { target: "core/catalog.ts" }), 1);
  assert.equal(forbidden("contract/ids.ts", { specifier: "node:fs" }), 1);
  assert.equal(forbidden("core/catalog.ts", { specifier: "typebox" }), 1);
  assert.equal(forbidden("store/sqlite/open.ts", { target: "core/turn/turn.ts" }), 1);
  assert.equal(forbidden("store/sqlite/open.ts", { target: "core/turn/turn.ts", isTypeOnly: true }), 0);
  assert.equal(forbidden("flows/run.ts", { target: "http/sse.ts", isTypeOnly: true }), 1);
  assert.equal(forbidden("http/sse.ts", { target: "core/catalog.ts", isTypeOnly: true }), 1);
  assert.equal(forbidden("system/ids.ts", { target: "boot/config.ts" }), 1);
});

test("no module imports itself by a detour, type imports counted", () => {
  assert.equal(findCycle(modules), null);
});

test("a detour is found", () => {
  const module = (path: string, target: string): Module => ({
    path,
    code: "",
    imports: [{ specifier: "", target, isTypeOnly: true }],
  });
  assert.deepEqual(findCycle([module("a", "b"), module("b", "c"), module("c", "b")]), ["b", "c", "b"]);
});

test("the pure rings know no clock, no chance, no waiting and no process", () => {
  const pure = modules.filter(({ path }) => ["contract", "core"].includes(ringOf(path)));
  assert.ok(pure.length > 20);
  assert.deepEqual(pure.flatMap(findImpure), []);
});

test("what is impure is seen", () => {
  const impure = (code: string) => findImpure({ path: "core/x.ts", code, imports: [] }).length;
  for (const code of [
    "async function f() {}",
    "await x",
    "new Date()",
    "Date.now()",
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
});

/** The ring of a path below src/: its first folder, or the file itself. */
function ringOf(path: string): string {
  return path.split("/")[0] ?? path;
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
    ([folder, allowance]) => target.startsWith(`${folder}/`) && (allowance === "values" || isTypeOnly),
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

const IMPURE =
  /\basync\b|\bawait\b|\bPromise\b|\bDate\b|\bMath\.random\b|\bprocess\b|\bfetch\b|\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bperformance\b|\bcrypto\b|\bglobalThis\b/g;

function findImpure({ path, code }: Module): string[] {
  return [...code.matchAll(IMPURE)].map(([word]) => `${path} says ${word}`);
}
