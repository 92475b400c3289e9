// Items that cannot be read: named in a list, deleted by their id, never in the way of the others.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { serviceForFile } from "../../support/service.ts";
import { runSql } from "../../support/tables.ts";
import { itemsOf, texts } from "./items.ts";

const service = await serviceForFile();

const { list, filled } = itemsOf(service);

describe("items that cannot be read", () => {
  const corrupt = (itemId: string, body: string | null = "{") =>
    runSql(service, "update items set body = :body where public_id = :itemId", { itemId, body });

  test("appear in svc:unreadable and not in data; alone they are 500 item_unreadable; the others are not affected", async () => {
    const id = await filled(3);
    const ids = (await list(id)).json.data.map((item: Loose) => item.id);
    await corrupt(ids[1]);
    const { status, json } = await list(id);
    assert.equal(status, 200);
    assert.deepEqual(texts(json), ["0", "2"]);
    const [entry, ...more] = json["svc:unreadable"];
    assert.deepEqual([entry.type, entry.id, more], ["item_unreadable", ids[1], []]);
    assert.deepEqual(Object.keys(entry), ["type", "id", "message"]);
    assert.deepEqual([json.first_id, json.last_id], [ids[0], ids[2]]);
    const alone = await service.request("GET", `/v1/conversations/${id}/items/${ids[1]}`);
    assertApiError(alone, { status: 500, code: "item_unreadable" });
    assert.equal((await service.request("GET", `/v1/conversations/${id}/items/${ids[0]}`)).status, 200);
    const { json: turn } = await service.create({ conversation: id, input: "now" });
    const warned = turn["svc:warnings"].map(({ code, message }: Loose) => [code, message]);
    assert.deepEqual(warned, [
      ["history_unreadable", "1 stored item of the history could not be read and was not sent to the model."],
    ]);
    const sent = service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text);
    assert.deepEqual(sent, ["0", "2", "now"]);
  });

  test("a page that ends with one because of its bytes leads to the items behind it", async () => {
    const id = await filled(0);
    for (const text of ["a", "b", "c"]) {
      const body = { items: [{ role: "user", content: text.repeat(1_500_000) }] };
      await service.request("POST", `/v1/conversations/${id}/items`, { body });
    }
    const ids = [];
    for (let from = ""; ids.length < 3; from = `&after=${ids.at(-1)}`) {
      ids.push((await list(id, `?limit=1${from}`)).json.first_id);
    }
    await corrupt(ids[1], "{".repeat(1_500_000));
    for (const [order, first, last] of [
      ["asc", ids[0], ids[2]],
      ["desc", ids[2], ids[0]],
    ]) {
      const page = (await list(id, `?order=${order}`)).json;
      assert.deepEqual([page.last_id, page.has_more, page["svc:unreadable"]], [first, true, undefined]);
      const rest = (await list(id, `?order=${order}&after=${first}`)).json;
      const unreadable = rest["svc:unreadable"].map((entry: Loose) => entry.id);
      assert.deepEqual([rest.last_id, rest.has_more, unreadable], [last, false, [ids[1]]]);
    }
  });

  test("every damage is found: other JSON, another id, another type, parts without text, erased content", async () => {
    const bodies = [
      "x",
      "[]",
      "null",
      '{"type":"message"}',
      '{"type":"message","id":"msg_other","role":"user","content":[]}',
    ];
    const id = await filled(bodies.length + 2);
    const ids = (await list(id)).json.data.map((item: Loose) => item.id);
    const more = (itemId: string) =>
      `{"type":"message","id":"${itemId}","role":"user","content":[{"type":"input_text"}]}`;
    for (const [index, body] of [...bodies, more(ids[bodies.length]), null].entries()) await corrupt(ids[index], body);
    const { json } = await list(id);
    assert.deepEqual(json.data, []);
    assert.deepEqual(
      json["svc:unreadable"].map((entry: Loose) => entry.id),
      ids,
    );
  });

  test("a page never consists of them alone while more follow: a reader walks past them both ways", async () => {
    const id = await filled(30);
    const ids = (await list(id, "?limit=500")).json.data.map((item: Loose) => item.id);
    for (const itemId of [...ids.slice(3, 15), ids[20], ids[29]]) await corrupt(itemId);
    const readable = ids.filter(
      (_: string, index: number) =>
        ![...Array(12).keys()]
          .map((n) => n + 3)
          .concat(20, 29)
          .includes(index),
    );
    for (const order of ["asc", "desc"]) {
      for (const limit of [1, 2, 5, 30]) {
        const seen: string[] = [];
        const unreadable = new Set<string>();
        let from = "";
        for (let more = true; more; ) {
          const { json } = await list(id, `?order=${order}&limit=${limit}${from}`);
          seen.push(...json.data.map((item: Loose) => item.id));
          for (const entry of json["svc:unreadable"] ?? []) unreadable.add(entry.id);
          assert.ok(json.data.length > 0 || !json.has_more, "clients stop at an empty page");
          more = json.has_more;
          from = `&after=${json.last_id}`;
        }
        assert.deepEqual(seen, order === "asc" ? readable : readable.toReversed(), `${order} ${limit}`);
        assert.equal(unreadable.size, 14);
      }
    }
  });

  test("they can be deleted", async () => {
    const id = await filled(2);
    const ids = (await list(id)).json.data.map((item: Loose) => item.id);
    await corrupt(ids[0]);
    assert.equal((await service.request("DELETE", `/v1/conversations/${id}/items/${ids[0]}`)).status, 200);
    assert.equal("svc:unreadable" in (await list(id)).json, false);
  });

  test("labels that cannot be read are replaced, and keep no item from being deleted", async () => {
    const id = await filled(2);
    const path = `/v1/conversations/${id}`;
    const [item] = (await list(id)).json.data;
    const damage = () =>
      runSql(service, "update threads set metadata = :metadata where public_id = :id", { metadata: "{", id });
    await damage();
    assertApiError(await service.request("GET", path), { status: 500, code: "database_error" });
    const replaced = await service.request("POST", path, { body: { metadata: { a: "b" } } });
    assert.deepEqual([replaced.status, replaced.json.metadata], [200, { a: "b" }]);
    assert.deepEqual((await service.request("GET", path)).json, replaced.json);
    await damage();
    assertApiError(await service.request("DELETE", `${path}/items/${item.id}`), {
      status: 500,
      code: "database_error",
    });
    assert.deepEqual(texts((await list(id)).json), ["1"]);
  });
});
