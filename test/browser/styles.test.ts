// The built app has the styles of every part of Mantine that it uses, though it imports them one by one.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { builtApp } from "./built-app.ts";

const MODULES = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const CLASS = /\bm_[0-9a-f]{6,8}\b/g;

test("no class of Mantine that the app uses is without its style", async () => {
  const all = readFileSync(join(MODULES, "@mantine/core/styles.css"), "utf8");
  const assets = join(await builtApp(), "assets");
  const built = (ending: string) => {
    const files = readdirSync(assets).filter((name) => name.endsWith(ending));
    return files.map((name) => readFileSync(join(assets, name), "utf8")).join("\n");
  };
  const styled = new Set(built(".css").match(CLASS));
  const used = new Set(built(".js").match(CLASS));
  // Enough to know that the classes are still written like this.
  assert.ok(used.size > 50, `${used.size} classes`);
  const missing = [...used].filter((name) => all.includes(name) && !styled.has(name));
  assert.deepEqual(missing, []);
});
