// Conversations that are exported and imported are the same but for their ids and their key, interrupted or not; any other file is no export.
import assert from "node:assert/strict";
import { readFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { exportFile } from "../../src/cli/moving/export-file.ts";
import { importFile, readContent } from "../../src/cli/moving/import-file.ts";
import { openImportMap } from "../../src/cli/moving/import-map.ts";
import type { NewItem } from "../../src/core/history/history-item.ts";
import type { Store } from "../../src/ports/store/store.ts";
import fc from "../support/fast-check.ts";
import { calls, FINISHED, says, type Script } from "../support/scripted-provider.ts";
import { TestService } from "../support/service.ts";

const service = await TestService.start();
const folder = mkdtempSync(join(tmpdir(), "turngate-moving-"));
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const refuses: Script = [
  [
    { type: "text", text: "I am sorry." },
    { type: "refusal", text: "No." },
  ],
  FINISHED,
];

/** A step in the life of a conversation. */
const step = fc.oneof(
  fc.record({ add: fc.constantFrom("user", "assistant", "system"), text: fc.string({ maxLength: 20 }) }),
  fc.constant({ exchange: true }),
  fc.record({ turn: fc.constantFrom("says", "refuses", "calls") }),
);
const conversation = fc.record({
  metadata: fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 2 }),
  steps: fc.array(step, { maxLength: 6 }),
});
type Drawn = typeof conversation extends fc.Arbitrary<infer Value> ? Value : never;

let files = 0;
const newPath = () => join(folder, `${++files}.jsonl`);
const clock = { nowMs: () => service.clock.nowMs(), monotonicMs: () => 0, after: () => () => {} };

async function live({ metadata, steps }: Drawn, key: string): Promise<void> {
  const ask = async (path: string, body: object) => {
    const { status, json, text } = await service.request("POST", path, { key, body });
    assert.equal(status, 200, text);
    return json;
  };
  const { id } = await ask("/v1/conversations", { metadata });
  for (const [index, each] of steps.entries()) {
    if ("add" in each) {
      await ask(`/v1/conversations/${id}/items`, { items: [{ role: each.add, content: each.text }] });
    } else if ("exchange" in each) {
      const call = { type: "function_call", call_id: `c${index}`, name: "f", arguments: "{}" };
      const output = { type: "function_call_output", call_id: `c${index}`, output: "done" };
      await ask(`/v1/conversations/${id}/items`, { items: [{ role: "user", content: "do" }, call, output] });
    } else {
      const script =
        { says: says("fine"), refuses, calls: calls({ callId: `call_${index}` }) }[each.turn] ?? says("fine");
      service.provider.plays(script);
      const body = { model: "test/all", conversation: id, input: "Go on", "svc:unanswered_calls": "drop" };
      await ask("/v1/responses", body);
    }
  }
}

async function exportOf(keyId: string, store: Store = service.store): Promise<string> {
  const file = newPath();
  const organization = { id: service.organizationId, name: "any" };
  await exportFile({ store, clock }, { file, organization, keyId, onProgress: () => {} });
  return file;
}

async function importTo(keyId: string, file: string, { keepsIds = false, store = service.store } = {}) {
  const content = await readContent(file, false);
  const header = { file_sha256: content.sha256, key: keyId, keep_ids: keepsIds, leave_out: false };
  const map = openImportMap(`${file}.map`, header);
  const caller = { organizationId: service.organizationId, keyId };
  const imported = { conversations: 0, items: 0, earlier: 0 };
  try {
    const given = { file, content, caller, keepsIds, leavesOut: false, map, onProgress: () => {} };
    await importFile({ store, clock }, given, imported);
  } finally {
    map.close();
  }
  return imported;
}

/** What a file holds, without ids. */
function contentOf(file: string): unknown[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .slice(1, -1)
    .map((line) => {
      const { item, conversation: of } = JSON.parse(line);
      const { id: _, ...rest } = item ?? of;
      return rest;
    });
}

test("an export that is imported and exported again is the same, whatever the conversations went through", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(conversation, { minLength: 1, maxLength: 3 }), async (drawn) => {
      const [from, to] = [await service.newKey(service.organizationId), await service.newKey(service.organizationId)];
      for (const each of drawn) await live(each, from.secret);
      const file = await exportOf(from.keyId);
      const { conversations, items } = await importTo(to.keyId, file);
      assert.equal(conversations, drawn.length);
      const again = await exportOf(to.keyId);
      assert.deepEqual(contentOf(again), contentOf(file));
      assert.equal(contentOf(again).length, conversations + items);
      assert.deepEqual(await importTo(to.keyId, file), { conversations: 0, items: 0, earlier: drawn.length });
      // A client goes on with what was imported; only its new key can.
      const { to: id } = JSON.parse(readFileSync(`${file}.map`, "utf8").split("\n")[1] ?? "");
      const body = { model: "test/all", conversation: id, input: "Go on" };
      assert.equal((await service.request("POST", "/v1/responses", { key: to.secret, body })).status, 200);
      assert.equal((await service.request("GET", `/v1/conversations/${id}`, { key: from.secret })).status, 404);
    }),
    { numRuns: 10 },
  );
});

test("outputs stay with the calls that they answered, among others with their call_id", async () => {
  const [from, to] = [await service.newKey(service.organizationId), await service.newKey(service.organizationId)];
  const ask = async (method: string, path: string, body?: object, key = from.secret) => {
    const { status, json, text } = await service.request(method, path, {
      key,
      ...(body === undefined ? {} : { body }),
    });
    assert.equal(status, 200, text);
    return json;
  };
  const { id } = await ask("POST", "/v1/conversations", {});
  const tools = [{ type: "function", name: "look_up" }];
  const create = { model: "test/all", conversation: id, tools };
  const add = (items: object[]) => ask("POST", `/v1/conversations/${id}/items`, { items });
  const call = (mark: string) => {
    return { type: "function_call", call_id: "call_0", name: "look_up", arguments: `{"mark":"${mark}"}` };
  };
  const result = (output: string) => ({ type: "function_call_output", call_id: "call_0", output });
  service.provider.plays(calls({ callId: "call_0", args: '{"mark":"dropped"}' }));
  await ask("POST", "/v1/responses", { ...create, input: "Go" });
  service.provider.plays(says("Well."));
  await ask("POST", "/v1/responses", { ...create, input: "Go on", "svc:unanswered_calls": "drop" });
  await add([call("kept"), result("of the kept one")]);
  const { data } = await add([call("deleted"), result("of the deleted one")]);
  await ask("DELETE", `/v1/conversations/${id}/items/${data[0].id}`);
  const exchanges = async (of: string, key: string) => {
    service.provider.plays(says("Well."));
    const body = { model: "test/all", conversation: of, input: "Go on" };
    await ask("POST", "/v1/responses", body, key);
    const { prompt } = service.provider.calls.at(-1) ?? assert.fail("no call");
    const results = new Map(
      prompt.items.flatMap((item) => (item.type === "result" ? [[item.callId, item.output]] : [])),
    );
    const pairs = prompt.items.map((item) =>
      item.type === "call" ? `${JSON.parse(item.arguments).mark}: ${results.get(item.callId)}` : "",
    );
    return pairs.filter((pair) => pair !== "").toSorted();
  };
  const file = await exportOf(from.keyId);
  const kept = await exchanges(id, from.secret);
  assert.deepEqual(kept, ["kept: of the kept one"]);
  await importTo(to.keyId, file);
  const { to: copy } = JSON.parse(readFileSync(`${file}.map`, "utf8").split("\n")[1] ?? "");
  assert.deepEqual(await exchanges(copy, to.secret), kept);
});

function spoken(at: number): NewItem {
  const content = [{ type: "input_text" as const, text: `${at}` }];
  const item = { type: "message", id: `msg_${at}`, role: "user", status: "completed", content } as const;
  return { item: { ...item, content }, opensTurn: true, carried: false, answers: null, size: 1 };
}

test("an import that is interrupted anywhere goes on with the same map, and stores everything once", async () => {
  const from = await service.newKey(service.organizationId);
  for (const [index, count] of [1200, 0, 3].entries()) {
    const long = { id: `conv_long${index}` as const, createdAt: 1, metadata: {} };
    const items = Array.from({ length: count }, (_, at) => spoken(at));
    const caller = { organizationId: service.organizationId, keyId: from.keyId };
    await service.store.importItems({ caller, conversation: long, from: 0, isNew: true, items });
  }
  const file = await exportOf(from.keyId);
  for (const isStored of [false, true]) {
    const to = await service.newKey(service.organizationId);
    writeFileSync(`${file}.map`, "");
    rmSync(`${file}.map`);
    // Five calls store all: three batches, nothing, one batch.
    for (let run = 0; run < 5; run++) {
      let left = 1;
      const importItems: Store["importItems"] = async (add) => {
        const outcome = isStored || left > 0 ? await service.store.importItems(add) : null;
        if (left-- <= 0 || outcome === null) throw new Error("interrupted");
        return outcome;
      };
      await importTo(to.keyId, file, { store: { ...service.store, importItems } }).catch((error: Error) => {
        assert.equal(error.message, "interrupted");
      });
    }
    await importTo(to.keyId, file);
    assert.deepEqual(contentOf(await exportOf(to.keyId)), contentOf(file));
  }
});

test("with kept ids an export from elsewhere has its ids; the ids of conversations that there are can't be taken", async () => {
  const [from, to] = [await service.newKey(service.organizationId), await service.newKey(service.organizationId)];
  await live({ metadata: {}, steps: [{ exchange: true }] }, from.secret);
  const file = await exportOf(from.keyId);
  await assert.rejects(importTo(to.keyId, file, { keepsIds: true }), /is that of another conversation/);
  const elsewhere = await TestService.start();
  try {
    const caller = { organizationId: elsewhere.organizationId, keyId: elsewhere.keyId };
    const content = await readContent(file, false);
    const header = { file_sha256: content.sha256, key: caller.keyId, keep_ids: true, leave_out: false };
    const map = openImportMap(newPath(), header);
    const given = { file, content, caller, keepsIds: true, leavesOut: false, map, onProgress: () => {} };
    await importFile({ store: elsewhere.store, clock }, given, { conversations: 0, items: 0, earlier: 0 });
    map.close();
    const copy = newPath();
    const organization = { id: caller.organizationId, name: "any" };
    await exportFile(
      { store: elsewhere.store, clock },
      { file: copy, organization, keyId: caller.keyId, onProgress: () => {} },
    );
    const idsOf = (path: string) => readFileSync(path, "utf8").match(/"id":"(conv|msg|fc|fco)_\w+"/g);
    assert.deepEqual(idsOf(copy), idsOf(file));
  } finally {
    await elsewhere.close();
  }
});

test("an export of which anything was changed, taken away, added or exchanged is no export", async () => {
  const from = await service.newKey(service.organizationId);
  for (let count = 0; count < 2; count++)
    await live({ metadata: { a: "1" }, steps: [{ exchange: true }] }, from.secret);
  const file = await exportOf(from.keyId);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const reject = async (changed: readonly string[], expected: RegExp) => {
    const path = newPath();
    writeFileSync(path, changed.map((line) => `${line}\n`).join(""));
    await assert.rejects(readContent(path, false), expected);
  };
  await reject(lines.with(2, (lines[2] ?? "").replace('"do"', '"don\'t"')), /:3: the hash is not that of the line/);
  await reject(lines.toSpliced(2, 1), /5 items, and has|6 items, and has 5/);
  await reject(lines.toSpliced(3, 0, lines[2] ?? ""), /6 items, and has 7/);
  await reject(lines.with(2, lines[3] ?? "").with(3, lines[2] ?? ""), /the hash over all lines differs/);
  await reject(lines.slice(0, -1), /the last line is missing: the file is cut short/);
  await reject([...lines, lines[2] ?? ""], /something follows the last line/);
  await reject(lines.with(2, '{"item":{}}'), /:3: the line has no hash/);
  await reject(
    [(lines[0] ?? "").replace('"turngate_export":1', '"turngate_export":2'), ...lines.slice(1)],
    /:1: the hash/,
  );
});

test("the map of another import is rejected, and so is a map in use", async () => {
  const from = await service.newKey(service.organizationId);
  const file = await exportOf(from.keyId);
  await importTo(from.keyId, file);
  const to = await service.newKey(service.organizationId);
  await assert.rejects(importTo(to.keyId, file), /is the map of another import/);
  const { sha256 } = await readContent(file, false);
  const open = () =>
    openImportMap(`${file}.map`, { file_sha256: sha256, key: from.keyId, keep_ids: false, leave_out: false });
  const map = open();
  assert.throws(open, /another import is running with the map/);
  map.close();
  open().close();
});
