// docs/app.md has a picture of each screen.
import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { test } from "node:test";
import { PICTURE_BYTES_MAX, PICTURES } from "./pictures.ts";

const ROOT = new URL("../../", import.meta.url);
/** Routes without a screen of their own: they lead to others. */
const NO_SCREEN = ["/", "/organizations/$organizationId", "$"];
const names = PICTURES.map(({ name }) => name).toSorted();

test("each screen has a picture", async () => {
  const router = await readFile(new URL("app/src/router.tsx", ROOT), "utf8");
  const routes = [...router.matchAll(/(?:\bpath: |\bat\(\w+, )"([^"]+)"/g)].map(([, path]) => path ?? "");
  assert.ok(routes.length > 10);
  assert.deepEqual(
    routes.filter((route) => !NO_SCREEN.includes(route)).toSorted(),
    PICTURES.flatMap(({ route }): string[] => (route === null ? [] : [route])).toSorted(),
    "add it to test/browser/pictures.ts and screenshots.ts, and run npm run screenshots",
  );
});

test("docs/app.md shows every picture, each of which is there and small", async () => {
  const page = await readFile(new URL("docs/app.md", ROOT), "utf8");
  const shown = [...page.matchAll(/!\[[^\]]+\]\(app\/([\w-]+)\.webp\)/g)].map(([, name]) => name ?? "");
  assert.deepEqual(shown.toSorted(), names);
  const folder = new URL("docs/app/", ROOT);
  assert.deepEqual((await readdir(folder)).toSorted(), names.map((name) => `${name}.webp`).toSorted());
  for (const name of names) {
    const { size } = await stat(new URL(`${name}.webp`, folder));
    assert.ok(size > 0 && size <= PICTURE_BYTES_MAX, `${name} has ${size} bytes`);
  }
});
