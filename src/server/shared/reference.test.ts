// docs/reliability.md, A-8
import assert from "node:assert/strict";
import { test } from "node:test";
import { referencePages } from "./reference.ts";

const V1 = { name: "/v1", page: "/docs", document: "/openapi.json", build: async () => ({}) } as const;

test("the document is built once, however many requests arrive meanwhile, and again after a failure", async () => {
  let built = 0;
  const build = async () => {
    if (++built === 1) throw new Error("a first attempt that fails");
    return { built };
  };
  const [document] = referencePages([{ ...V1, build }]);
  assert.ok(document);
  await assert.rejects(document.read());
  const read = await Promise.all(Array.from({ length: 3 }, () => document.read()));
  assert.deepEqual(
    read.map((bytes) => JSON.parse(Buffer.from(bytes).toString())),
    Array.from({ length: 3 }, () => ({ built: 2 })),
  );
});

const textOf = async (pages: ReturnType<typeof referencePages>, wanted: string) =>
  Buffer.from((await pages.find(({ path }) => path === wanted)?.read()) ?? "").toString();

test("beside the app each page leads to the other document and back; alone it leads nowhere", async () => {
  const manage = { ...V1, name: "/manage/api", page: "/docs", document: "/openapi.json" } as const;
  const v1 = { ...V1, page: "/docs-v1", document: "/openapi-v1.json" } as const;
  const both = referencePages([v1, manage]);
  const html = await textOf(both, "/docs-v1");
  assert.match(html, /<a href="docs">\/manage\/api<\/a><a href="\.\/">Back to the app<\/a>/);
  assert.match(html, /data-document="openapi-v1\.json"/);
  assert.match(await textOf(both, "/docs"), /<a href="docs-v1">\/v1<\/a>/);
  assert.doesNotMatch(await textOf(referencePages([V1]), "/docs"), /<a /);
});
