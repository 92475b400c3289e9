// `npm ci` refuses a lockfile that lacks an optional package, those of other platforms included; `npm install` leaves such
// entries out where the registry it asked has no such package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Locked {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

for (const path of ["package-lock.json", "bench/package-lock.json"]) {
  test(`${path} has every optional package, with its version`, () => {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
    const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Locked>> };
    const missing = Object.values(packages)
      .flatMap((locked) => Object.keys(locked.optionalDependencies ?? {}))
      .filter((name) => !Object.entries(packages).some(([at, { version }]) => isAt(at, name) && version !== undefined));
    assert.deepEqual(missing, []);
  });
}

function isAt(at: string, name: string): boolean {
  return at === `node_modules/${name}` || at.endsWith(`/node_modules/${name}`);
}
