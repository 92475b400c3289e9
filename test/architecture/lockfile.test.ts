// `npm ci` rejects a lockfile that lacks an optional package, those of other platforms included; `npm install` leaves such
// entries out where the registry it asked has no such package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import manifest from "../../package.json" with { type: "json" };

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function readPackages(path: string): Readonly<Record<string, Locked>> {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly packages: Readonly<Record<string, Locked>> }).packages;
}

for (const path of ["package-lock.json", "bench/package-lock.json", "site/package-lock.json"]) {
  test(`${path} has every optional package, with its version`, () => {
    const packages = readPackages(path);
    const missing = Object.values(packages)
      .flatMap((locked) => Object.keys(locked.optionalDependencies ?? {}))
      .filter((name) => !Object.entries(packages).some(([at, { version }]) => isAt(at, name) && version !== undefined));
    assert.deepEqual(missing, []);
  });
}

function isAt(at: string, name: string): boolean {
  return at === `node_modules/${name}` || at.endsWith(`/node_modules/${name}`);
}

// The package npm calls `node` fetches one of these by a script, past the lockfile and not at all with --ignore-scripts.
test("the lockfile has the runtime of each platform, checked by its hash and installed where it runs", () => {
  const packages = readPackages("package-lock.json");
  const found = Object.keys(manifest.optionalDependencies).map((name) => {
    const { os, cpu, libc, integrity, hasInstallScript } = packages[`node_modules/${name}`] ?? {};
    assert.match(integrity ?? "", /^sha512-/, name);
    assert.equal(hasInstallScript, undefined, name);
    return [os, cpu, libc ?? []].flat().join(" ");
  });
  // The builds for Linux need glibc, which their own manifests do not say: npm takes this `libc` at its word.
  assert.deepEqual(found, ["darwin arm64", "darwin x64", "linux arm64 glibc", "linux x64 glibc", "win32 x64"]);
});
