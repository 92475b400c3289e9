import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import type { InstalledFolder } from "../../installation/folder.ts";
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
  const request = { headers: {} } as IncomingMessage;
  await assert.rejects(app.page(request), { code: "EMFILE" });
  assert.equal((await app.page(request)).status, 200);
});
