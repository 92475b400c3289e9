/** The package.json of the npm package, made from the clone's: all libraries are in the bundle but for the optional peers, so it has no dependencies. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import clone from "../package.json" with { type: "json" };
import lock from "../package-lock.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The manifest of the package. */
export function packageManifest(): object {
  const { name, version, description, keywords, license, engines, bin, type } = clone;
  const { peerDependencies, peerDependenciesMeta } = clone;
  return {
    name,
    version,
    description,
    keywords,
    license,
    type,
    ...repositoryOf(originUrl()),
    engines,
    bin,
    peerDependencies,
    peerDependenciesMeta,
    exports: {
      ".": { types: "./lib/start-turngate.d.ts", default: "./lib/index.js" },
      "./openapi.json": "./openapi.json",
      "./openapi-manage.json": "./openapi-manage.json",
      "./turngate.schema.json": "./turngate.schema.json",
      "./turngate-accounts.schema.json": "./turngate-accounts.schema.json",
      "./package.json": "./package.json",
    },
    types: "./lib/start-turngate.d.ts",
    files: ["bin", "files", "lib", "runtime", "*.json", "*.md", "LICENSE"],
    // Provenance makes npm refuse to publish from anywhere but a build service that can attest where the package comes from.
    publishConfig: { access: "public", provenance: true },
  };
}

/**
 * A project of npm's that installs the runtime, and its lockfile: what bin/runtime.js fetches on an older Node. The hashes are those of the
 * clone's lockfile.
 */
export function runtimeProject(): { readonly manifest: object; readonly lockfile: object } {
  const { optionalDependencies } = clone;
  const versions = new Set(Object.values(optionalDependencies));
  const [version] = versions;
  if (version === undefined || versions.size > 1) throw new Error("the runtime has one version on all platforms");
  const manifest = { name: "turngate-runtime", version, private: true, optionalDependencies };
  const packages: Readonly<Record<string, object>> = lock.packages;
  const locked = Object.keys(optionalDependencies).map((name) => {
    const entry = packages[`node_modules/${name}`];
    if (entry === undefined || !("integrity" in entry)) throw new Error(`${name} is not locked`);
    return [`node_modules/${name}`, entry] as const;
  });
  const { name } = manifest;
  const root = { "": { name, version, optionalDependencies } };
  return {
    manifest,
    lockfile: {
      name,
      version,
      lockfileVersion: 3,
      requires: true,
      packages: { ...root, ...Object.fromEntries(locked) },
    },
  };
}

/** Where the clone comes from, which a build service attests; null for a clone without an origin. */
function originUrl(): string | null {
  try {
    return execFileSync("git", ["config", "--get", "remote.origin.url"], { cwd: ROOT, encoding: "utf8" }).trim();
  } catch {
    return null;
  }
}

/** The manifest's repository, without user and password; none for a path on this machine. */
export function repositoryOf(origin: string | null): { readonly repository?: object } {
  const [, host, path] =
    /^(?:https:\/\/|ssh:\/\/)?(?:[^@/]*@)?([\w.-]+\.[a-z]+)[:/](.+?)(?:\.git)?\/?$/.exec(origin ?? "") ?? [];
  if (host === undefined || path === undefined) return {};
  return { repository: { type: "git", url: `git+https://${host}/${path}.git` } };
}
