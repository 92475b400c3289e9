// What the npm package says of itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { packageManifest, repositoryOf, runtimeProject } from "../../release/manifest.ts";
import clone from "../../package.json" with { type: "json" };

test("the package has no dependencies and no scripts, and npm publishes it with provenance only", () => {
  const manifest = packageManifest() as Record<string, unknown>;
  for (const name of ["dependencies", "optionalDependencies", "devDependencies", "scripts", "workspaces", "private"]) {
    assert.equal(manifest[name], undefined, name);
  }
  assert.deepEqual([manifest["name"], manifest["version"]], [clone.name, clone.version]);
  assert.deepEqual(manifest["publishConfig"], { access: "public", provenance: true });
});

test("the repository is the clone's origin, without user and password", () => {
  const urlOf = (origin: string | null) => (repositoryOf(origin).repository as { url: string } | undefined)?.url;
  const url = "git+https://example.com/team/turngate.git";
  assert.equal(urlOf("https://example.com/team/turngate.git"), url);
  assert.equal(urlOf("https://user:token@example.com/team/turngate"), url);
  assert.equal(urlOf("git@example.com:team/turngate.git"), url);
  assert.equal(urlOf("ssh://git@example.com/team/turngate.git"), url);
  for (const origin of ["/work/turngate", "file:///work/turngate", "", null]) assert.equal(urlOf(origin), undefined);
});

test("the runtime of each platform is locked by its hash", () => {
  const { manifest, lockfile } = runtimeProject() as {
    manifest: { optionalDependencies: Record<string, string> };
    lockfile: { packages: Record<string, { version: string; integrity?: string }> };
  };
  assert.deepEqual(manifest.optionalDependencies, clone.optionalDependencies);
  for (const [name, version] of Object.entries(manifest.optionalDependencies)) {
    const locked = lockfile.packages[`node_modules/${name}`];
    assert.equal(locked?.version, version);
    assert.match(locked?.integrity ?? "", /^sha512-/);
  }
});
