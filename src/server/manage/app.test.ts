import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstalledFolder } from "../../installation/folder.ts";
import type { RoutedRequest } from "../shared/router.ts";
import { openApp } from "./app.ts";

test("the app is served after a first read that failed", async () => {
  let failures = 1;
  const folder: InstalledFolder = {
    list: () => [],
    has: () => true,
    read: async () => {
      if (failures-- > 0) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
      return Buffer.from("the app");
    },
    readText: () => "",
  };
  const app = openApp(folder);
  const statuses: number[] = [];
  const response = { writeHead: (status: number) => statuses.push(status), end: () => {}, req: { complete: true } };
  const routed = { request: { headers: {} }, response, requestId: "req_1" } as unknown as RoutedRequest;
  await assert.rejects(app.sendPage(routed), { code: "EMFILE" });
  await app.sendPage(routed);
  assert.deepEqual(statuses, [200]);
});
