// GET /v1/conversations/{conversation_id}/items. @spec endpoints/get-conversations-id-items
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, FINISHED, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { itemsOf, texts, user } from "./items.ts";

const service = await serviceForFile();

const { list, filled } = itemsOf(service);

test("an empty conversation: empty strings for its ends", async () => {
  const { status, json } = await list(await filled(0));
  assert.equal(status, 200);
  assert.deepEqual(json, { object: "list", data: [], first_id: "", last_id: "", has_more: false });
});

describe("paging", () => {
  test("20 a page, oldest first, by default", async () => {
    const id = await filled(41);
    const first = (await list(id)).json;
    assert.deepEqual(
      texts(first),
      Array.from({ length: 20 }, (_, index) => `${index}`),
    );
    assert.deepEqual([first.first_id, first.last_id, first.has_more], [first.data[0].id, first.data[19].id, true]);
    const second = (await list(id, `?after=${first.last_id}`)).json;
    assert.deepEqual([texts(second)[0], texts(second).length, second.has_more], ["20", 20, true]);
    const third = (await list(id, `?after=${second.last_id}`)).json;
    assert.deepEqual([texts(third), third.has_more], [["40"], false]);
    const end = (await list(id, `?after=${third.last_id}`)).json;
    assert.deepEqual([end.data, end.first_id, end.last_id, end.has_more], [[], "", "", false]);
  });

  test("walking pages gives the whole list both ways, whatever the limit", async () => {
    const count = 43;
    const id = await filled(count);
    const whole = Array.from({ length: count }, (_, index) => `${index}`);
    for (const order of ["asc", "desc"]) {
      for (const limit of [1, 2, 7, 20, 42, 43, 44, 499, 500]) {
        const walked: string[] = [];
        let from = "";
        let pages = 0;
        for (let more = true; more; pages++) {
          const { status, json } = await list(id, `?order=${order}&limit=${limit}${from}`);
          assert.equal(status, 200);
          assert.ok(json.data.length <= limit);
          walked.push(...texts(json));
          more = json.has_more;
          from = `&after=${json.last_id}`;
        }
        assert.deepEqual(walked, order === "asc" ? whole : whole.toReversed(), `${order} ${limit}`);
        assert.equal(pages, Math.ceil(count / limit));
      }
    }
  });

  test("a page ends before 2 MiB of items, whatever the limit, and has_more leads to the rest", async () => {
    const id = await filled(0);
    const sizes = [700_000, 900_000, 2_200_000, 300_000, 800_000, 900_000, 200_000];
    const items = sizes.map((size, index) => user(`${index}`.padEnd(size, "x")));
    for (const item of items) {
      await service.request("POST", `/v1/conversations/${id}/items`, { body: { items: [item] } });
    }
    for (const [order, pages] of [
      ["asc", ["01", "2", "345", "6"]],
      ["desc", ["654", "3", "2", "10"]],
    ] as const) {
      let from = "";
      for (const numbers of pages) {
        const { json } = await list(id, `?order=${order}&limit=500${from}`);
        assert.equal(
          texts(json)
            .map((text) => text.slice(0, 1))
            .join(""),
          numbers,
        );
        assert.equal(json.has_more, numbers !== pages.at(-1));
        from = `&after=${json.last_id}`;
      }
    }
  });

  test("500 is the largest page", async () => {
    const id = await filled(501);
    const page = (await list(id, "?limit=500")).json;
    assert.deepEqual([page.data.length, page.has_more], [500, true]);
    assert.deepEqual(texts((await list(id, `?limit=500&after=${page.last_id}`)).json), ["500"]);
  });

  test("items appended meanwhile neither repeat nor hide any", async () => {
    const id = await filled(5);
    const first = (await list(id, "?limit=3")).json;
    await service.request("POST", `/v1/conversations/${id}/items`, { body: { items: [user("5")] } });
    assert.deepEqual(texts((await list(id, `?limit=3&after=${first.last_id}`)).json), ["3", "4", "5"]);
  });

  test("an item deleted meanwhile, before or after the reader's position, neither repeats nor hides any", async () => {
    const id = await filled(6);
    const first = (await list(id, "?limit=3")).json;
    const behind = (await list(id, `?limit=1&after=${first.last_id}`)).json.last_id;
    for (const itemId of [first.first_id, behind]) {
      await service.request("DELETE", `/v1/conversations/${id}/items/${itemId}`);
    }
    assert.deepEqual(texts((await list(id, `?limit=3&after=${first.last_id}`)).json), ["4", "5"]);
  });
});

describe("rejected", () => {
  test("a limit outside 1..500", async () => {
    const id = await filled(1);
    for (const limit of ["0", "501", "-1", "1.5", "ten", "", "1e2", "99999999999999999999", "0x10", "%20"]) {
      assertApiError(await list(id, `?limit=${limit}`), { status: 400, code: "invalid_input", param: "limit" });
    }
  });
  test("an order of another name", async () => {
    assertApiError(await list(await filled(1), "?order=up"), { status: 400, code: "invalid_input", param: "order" });
  });
  test("an after that the conversation has no item for", async () => {
    const [id, other] = [await filled(1), await filled(1)];
    const foreign = (await list(other)).json.first_id;
    for (const itemId of ["msg_none", foreign, "x", "%00", ""]) {
      assertApiError(await list(id, `?after=${itemId}`), { status: 400, code: "invalid_input", param: "after" });
    }
  });
  test("an after that names a deleted item, deleted by itself or with its response", async () => {
    const id = await filled(2);
    const added = (await list(id)).json.last_id;
    service.provider.plays(says("Done"));
    const response = (await service.create({ conversation: id, input: "Hi" })).json;
    const answered = response.output[0].id;
    assert.equal((await list(id, `?after=${answered}`)).status, 200);
    await service.request("DELETE", `/v1/conversations/${id}/items/${added}`);
    await service.request("DELETE", `/v1/responses/${response.id}`);
    for (const itemId of [added, answered]) {
      assertApiError(await list(id, `?after=${itemId}`), { status: 400, code: "invalid_input", param: "after" });
    }
  });
  test("an unrecognized include", async () => {
    const id = await filled(1);
    assertApiError(await list(id, "?include=x"), { status: 400, code: "invalid_input", param: "include" });
    assert.equal((await list(id, "?include[]=file_search_call.results&unknown=1")).status, 200);
  });
});

test("a response's input and output are listed together in order, including carried exchanges, calls and outputs", async () => {
  const id = await filled(1);
  service.provider.plays(calls({ callId: "c" }), says("Done"));
  const named = { conversation: id };
  const first = await service.create({ ...named, input: "Look", tools: [{ type: "function", name: "look_up" }] });
  const running = await list(id);
  assert.equal(running.json.data.length, 3);
  await service.create({ ...named, input: [{ type: "function_call_output", call_id: "c", output: "r" }] });
  const { json } = await list(id);
  assert.deepEqual(
    json.data.map(({ type, role, status }: Loose) => [type, role, status]),
    [
      ["message", "user", "completed"],
      ["message", "user", "completed"],
      ["function_call", undefined, "completed"],
      ["function_call_output", undefined, "completed"],
      ["message", "assistant", "completed"],
    ],
  );
  assert.deepEqual(json.data[2], first.json.output[0]);
});

test("encrypted reasoning is shown only on request", async () => {
  const id = await filled(0);
  service.provider.plays([
    [
      { type: "reasoning", summary: [], encryptedContent: "opaque" },
      { type: "finished", incompleteReason: null },
    ],
  ]);
  await service.create({ conversation: id, input: "Hi" });
  assert.equal("encrypted_content" in (await list(id)).json.data[1], false);
  const asked = (await list(id, "?include=reasoning.encrypted_content")).json.data[1];
  assert.equal(asked.encrypted_content, "opaque");
  const one = await service.request("GET", `/v1/conversations/${id}/items/${asked.id}`);
  assert.equal("encrypted_content" in one.json, false);
});

test("nothing of a response is listed while it runs; two concurrent responses are listed one after the other", async () => {
  const id = await filled(0);
  const gates = [gate(), gate()] as const;
  const asked = service.provider.calls.length;
  service.provider.plays(
    ...gates.map(({ opened }, index) => [opened, [{ type: "text" as const, text: `answer ${index}` }], FINISHED]),
  );
  const first = service.create({ conversation: id, input: "question 0" });
  await until("the first call", () => service.provider.calls.length > asked);
  const second = service.create({ conversation: id, input: "question 1" });
  await until("the second call", () => service.provider.calls.length > asked + 1);
  assert.deepEqual((await list(id)).json.data, []);
  assert.equal(service.provider.calls.at(-1)?.prompt.items.length, 1, "it sees the history as it was");
  gates[1].open();
  await second;
  gates[0].open();
  await first;
  assert.deepEqual(texts((await list(id)).json), ["question 1", "answer 1", "question 0", "answer 0"]);
  const next = await service.create({ conversation: id, input: "more" });
  assert.equal(next.status, 200);
  assert.equal(service.provider.calls.at(-1)?.prompt.items.length, 5);
});

describe("continuing by previous_response_id", () => {
  test("the latest response of a conversation appends; the object names no conversation", async () => {
    const id = await filled(0);
    const first = await service.create({ conversation: id, input: "a" });
    const second = await service.create({ previous_response_id: first.json.id, input: "b" });
    assert.equal(second.json.conversation, null);
    assert.deepEqual(texts((await list(id)).json), ["a", "ok", "b", "ok"]);
  });

  test("items that a client added after it are part of what it continues", async () => {
    const id = await filled(0);
    const first = await service.create({ conversation: id, input: "a" });
    await service.request("POST", `/v1/conversations/${id}/items`, { body: { items: [user("note")] } });
    await service.create({ previous_response_id: first.json.id, input: "b" });
    assert.deepEqual(texts((await list(id)).json), ["a", "ok", "note", "b", "ok"]);
    assert.equal(service.provider.calls.at(-1)?.prompt.items.length, 4);
  });

  test("an earlier one starts a private branch: it shares what was before and is not listed", async () => {
    const id = await filled(0);
    const first = await service.create({ conversation: id, input: "a" });
    await service.create({ conversation: id, input: "b" });
    const branch = await service.create({ previous_response_id: first.json.id, input: "x" });
    const deeper = await service.create({ previous_response_id: branch.json.id, input: "y" });
    assert.equal(deeper.status, 200);
    const sent = service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text);
    assert.deepEqual(sent, ["a", "ok", "x", "ok", "y"]);
    await service.create({ conversation: id, input: "c" });
    assert.deepEqual(texts((await list(id)).json), ["a", "ok", "b", "ok", "c", "ok"]);
  });

  test("two concurrent turns on one response both keep the history that they saw", async () => {
    const id = await filled(0);
    const first = await service.create({ conversation: id, input: "a" });
    const both = await Promise.all(
      ["x", "y"].map((input) => service.create({ previous_response_id: first.json.id, input })),
    );
    for (const [index, { json }] of both.entries()) {
      await service.create({ previous_response_id: json.id, input: "then" });
      const sent = service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text);
      assert.deepEqual(sent, ["a", "ok", ["x", "y"][index], "ok", "then"]);
    }
    const listed = texts((await list(id)).json);
    assert.equal(listed.length, 6, "one of the two went on in the conversation");
  });
});
