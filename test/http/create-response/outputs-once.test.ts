// POST /v1/responses: a call takes its output once, however many requests compete, and waits again when the response to
// it fails.
// @spec endpoints/post-responses (Tool loop); docs/wire.md (Waiting calls)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Reply, Loose } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, fails } from "../../support/scripted-provider.ts";
import { serviceForFile, TestService, withService } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";
import { output } from "./tool-loop.ts";

const service = await serviceForFile();

const TOOLS = [{ type: "function", name: "look_up" }];
const rejection = (message: RegExp) => ({ status: 400, code: "invalid_input", param: "input", message });

interface Waiting {
  readonly conversation: string;
  readonly maker: string;
}

/** A conversation whose last response completed with these calls. */
async function waiting(on: TestService, ...callIds: string[]): Promise<Waiting> {
  const conversation: string = (await on.request("POST", "/v1/conversations")).json.id;
  on.provider.plays(calls(...callIds.map((callId) => ({ callId }))));
  const { json } = await on.create({ conversation, input: "Look it up", tools: TOOLS });
  return { conversation, maker: json.id };
}

/** A response to tool outputs that runs until the test lets it end. */
async function answering(on: TestService, { conversation }: Waiting) {
  const open = on.provider.playsLater("done");
  const stream = await LiveStream.open(on, { conversation, input: [output("a")] });
  await stream.sees("response.in_progress");
  return { id: stream.id, stream, open };
}

const items = async (on: TestService, { conversation }: Waiting) =>
  (await on.request("GET", `/v1/conversations/${conversation}/items?limit=100`)).json.data.map(
    ({ type }: Loose) => type,
  );

for (const route of ["conversation", "previous_response_id"] as const) {
  test(`of eight concurrent requests with outputs by ${route} one runs, and the others' errors name it`, async () => {
    const place = await waiting(service, "a");
    const open = service.provider.playsLater("done");
    const named = { [route]: route === "conversation" ? place.conversation : place.maker };
    const asked = Array.from({ length: 8 }, (_, each) => service.create({ ...named, input: [output("a", `${each}`)] }));
    const rejected: Reply[] = [];
    for (const each of asked) void each.then((reply) => (reply.status === 400 ? rejected.push(reply) : null));
    await until("the others", () => rejected.length === 7);
    open();
    const [reply, ...more] = (await Promise.all(asked)).filter(({ status }) => status === 200);
    assert.deepEqual([reply?.json.status, more], ["completed", []]);
    const message = new RegExp(
      `input\\[0\\] \\(function_call_output\\): the response ${reply?.json.id} is answering.*"a"`,
    );
    for (const each of rejected) assertApiError(each, rejection(message));
    assert.deepEqual(await items(service, place), ["message", "function_call", "function_call_output", "message"]);
    await service.create({ conversation: place.conversation, input: "And?" });
    const results = service.provider.calls.at(-1)?.prompt.items.filter(({ type }) => type === "result");
    assert.equal(results?.length, 1);
  });
}

describe("while a response to tool outputs runs", () => {
  test("outputs and user turns are errors by either route, and outputs at the items endpoint, naming the response; nothing is stored", async () => {
    const place = await waiting(service, "a");
    const { id, stream, open } = await answering(service, place);
    const before = await dumpTables(service);
    for (const named of [{ conversation: place.conversation }, { previous_response_id: place.maker }]) {
      const again = await service.create({ ...named, input: [output("a")] });
      assertApiError(again, rejection(new RegExp(`${id} is answering`)));
      const user = await service.create({ ...named, input: "Never mind" });
      assertApiError(user, rejection(new RegExp(`${id} is answering the function calls a: wait .*cancel it.*"drop"`)));
    }
    const path = `/v1/conversations/${place.conversation}/items`;
    const added = await service.request("POST", path, { body: { items: [output("a")] } });
    assertApiError(added, { ...rejection(new RegExp(`items\\[0\\].*${id} is answering`)), param: "items" });
    assert.deepEqual(await dumpTables(service), before);
    open();
    await stream.closed;
    assert.equal((await service.create({ conversation: place.conversation, input: "And?" })).status, 200);
  });

  test("a user turn that drops the calls is accepted, and the response goes on", async () => {
    const place = await waiting(service, "a");
    const { stream, open } = await answering(service, place);
    const past = { conversation: place.conversation, input: "Never mind", "svc:unanswered_calls": "drop" };
    const user = await service.create(past);
    assert.equal(user.status, 200, user.text);
    const sent = () => service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text ?? item.type);
    assert.deepEqual(sent(), ["Look it up", "Never mind"]);
    open();
    await stream.closed;
    assert.equal(stream.events.at(-1)?.event, "response.completed");
    const next = await service.create({ conversation: place.conversation, input: "And?" });
    assert.equal(next.status, 200, next.text);
    assert.deepEqual(sent(), ["Look it up", "Never mind", "ok", "call", "result", "done", "And?"]);
  });

  test("a response that does not include the calling response is not affected", async () => {
    const before = await service.create({ input: "Hi" });
    service.provider.plays(calls({ callId: "a" }));
    const maker = await service.create({ previous_response_id: before.json.id, input: "Look", tools: TOOLS });
    const open = service.provider.playsLater("done");
    const reply = service.create({ previous_response_id: maker.json.id, input: [output("a")] });
    const asked = service.provider.calls.length;
    await until("the call", () => service.provider.calls.length > asked);
    const branch = await service.create({ previous_response_id: before.json.id, input: "Else" });
    assert.equal(branch.status, 200, branch.text);
    open();
    assert.equal((await reply).status, 200);
  });

  test("the same request with its Idempotency-Key is in progress; its calls are not reported as taken", async () => {
    const place = await waiting(service, "a");
    const open = service.provider.playsLater("done");
    const headers = { "idempotency-key": `key of ${place.maker}` };
    const body = { conversation: place.conversation, input: [output("a")] };
    const asked = Array.from({ length: 4 }, () => service.create(body, { headers }));
    const early: Reply[] = [];
    for (const each of asked) void each.then((reply) => early.push(reply));
    await until("the others", () => early.length === 3);
    open();
    const replies = await Promise.all(asked);
    for (const each of early.slice(0, 3)) assertApiError(each, { status: 409, code: "idempotency_in_progress" });
    const [first] = replies.filter(({ status }) => status === 200);
    const again = await service.create(body, { headers });
    assert.equal(again.json.id, first?.json.id);
  });
});

describe("the calls wait again when the response to them", () => {
  const asksAgain = async (on: TestService, place: Waiting, isOwed: boolean) => {
    const user = await on.create({ conversation: place.conversation, input: "Never mind" });
    if (isOwed) assertApiError(user, rejection(/waiting for their outputs: a\./));
    else assert.equal(user.status, 200, user.text);
  };

  test("fails", async () => {
    const place = await waiting(service, "a");
    service.provider.plays([fails("provider_client_error")]);
    const failed = await service.create({ conversation: place.conversation, input: [output("a")] });
    assert.equal(failed.json.status, "failed");
    await asksAgain(service, place, true);
    assert.equal((await service.create({ conversation: place.conversation, input: [output("a")] })).status, 200);
  });

  test("is withdrawn", async () => {
    const place = await waiting(service, "a");
    service.provider.plays([fails("provider_overloaded")]);
    const withdrawn = await service.create({ conversation: place.conversation, input: [output("a")] });
    assert.equal(withdrawn.status, 502);
    await asksAgain(service, place, true);
    assert.equal((await service.create({ conversation: place.conversation, input: [output("a")] })).status, 200);
  });

  test("is deleted while it runs or later, and no output is required any more", async () => {
    for (const isRunning of [true, false]) {
      const place = await waiting(service, "a");
      const { id, stream, open } = await answering(service, place);
      if (!isRunning) {
        open();
        await stream.closed;
      }
      await service.request("DELETE", `/v1/responses/${id}`);
      await stream.closed;
      const second = await service.create({ conversation: place.conversation, input: [output("a", "again")] });
      assert.equal(second.status, 200, second.text);
      await service.request("DELETE", `/v1/responses/${second.json.id}`);
      await asksAgain(service, place, false);
    }
  });

  test("was running when the service stopped", async () => {
    await withService({}, async (stopping) => {
      const place = await waiting(stopping, "a");
      const { id } = await answering(stopping, place);
      stopping.gateway.runs.stopAll();
      await stopping.restart();
      const { json } = await stopping.request("GET", `/v1/responses/${id}`);
      assert.equal(json.status, "failed");
      await asksAgain(stopping, place, true);
      assert.equal((await stopping.create({ conversation: place.conversation, input: [output("a")] })).status, 200);
    });
  });

  test("but not when it was cancelled: its outputs are in the history", async () => {
    const place = await waiting(service, "a");
    const { id, stream } = await answering(service, place);
    await service.request("POST", `/v1/responses/${id}/cancel`);
    await stream.closed;
    const again = await service.create({ conversation: place.conversation, input: [output("a")] });
    assertApiError(again, rejection(/no function call with call_id "a" is waiting/));
    await asksAgain(service, place, false);
  });
});

test("of two outputs added concurrently for one call one is accepted", async () => {
  const place = await waiting(service, "a");
  const path = `/v1/conversations/${place.conversation}/items`;
  const asked = Array.from({ length: 6 }, () => service.request("POST", path, { body: { items: [output("a")] } }));
  const statuses = (await Promise.all(asked)).map(({ status }) => status).toSorted((one, other) => one - other);
  assert.deepEqual(statuses, [200, 400, 400, 400, 400, 400]);
  assert.deepEqual(await items(service, place), ["message", "function_call", "function_call_output"]);
});

test("the same items sent twice concurrently with one Idempotency-Key are added once, and both requests succeed", async () => {
  const place = await waiting(service, "a");
  const path = `/v1/conversations/${place.conversation}/items`;
  const headers = { "idempotency-key": `items of ${place.maker}` };
  const send = () => service.request("POST", path, { body: { items: [output("a")] }, headers });
  const replies = await Promise.all(Array.from({ length: 6 }, send));
  assert.deepEqual(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1);
  assert.deepEqual(await items(service, place), ["message", "function_call", "function_call_output"]);
});

test("an invalid call that comes with its own output is what the error names, on a later turn too", async () => {
  const { id } = (await service.create({ input: "First" })).json;
  const call = { type: "function_call", call_id: "sent", name: "look_up", arguments: "{}" };
  const behind = [output("sent"), { role: "user", content: "Go on" }];
  for (const [broken, message] of [
    [{ ...call, name: undefined }, /^input\[0\] \(function_call\): name must be/],
    [{ ...call, arguments: {} }, /^input\[0\] \(function_call\): arguments must be/],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const reply = await service.create({ previous_response_id: id, input: [broken, ...behind] });
    assertApiError(reply, rejection(message));
  }
});
