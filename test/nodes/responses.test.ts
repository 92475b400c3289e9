// Responses on several nodes: any node serves any response, and a paused, dead or stopped node loses nothing that was
// acknowledged. See docs/nodes.md; docs/reliability.md, F-02, F-03, F-31, F-32
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../src/ports/store/store.ts";
import { calls, gate, says } from "../support/scripted-provider.ts";
import { assertApiError } from "../support/assert-api-error.ts";
import { drawSteps } from "../support/drawn.ts";
import type { Reply } from "../support/http-client.ts";
import type { TestService } from "../support/service.ts";
import { timePassesUntil, whileTimePasses, withCluster } from "./cluster.ts";
import { runCycles } from "./cycles.ts";
import { openFastNodes } from "./fast-nodes.ts";

const never = new Promise(() => {});

/** A response that runs on a node until it is stopped, with the reply that its client waits for. */
async function startResponse(node: TestService): Promise<{ id: string; reply: Promise<Reply> }> {
  const before = node.provider.calls.length;
  node.provider.plays([[{ type: "text", text: "so far" }], never]);
  const reply = node.create({ input: "Hi" });
  await timePassesUntil(async () => node.provider.calls.length > before);
  const [run] = node.gateway.runs.ofKey(node.keyId);
  assert.ok(run !== undefined);
  return { id: run.head.id, reply };
}

test("any node reads, continues, cancels and deletes the responses of another", async () => {
  await withCluster({}, async ({ nodes: [a, b, c] }) => {
    const first = await a.create({ input: "Hi" });
    assert.equal(first.status, 200);
    const { id } = first.json;
    assert.equal((await b.request("GET", `/v1/responses/${id}`)).text, first.text);
    assert.equal((await c.request("POST", `/v1/responses/${id}/cancel`)).text, first.text);
    b.provider.plays(calls({ callId: "call_1" }));
    const second = await b.create({
      input: "And?",
      previous_response_id: id,
      tools: [{ type: "function", name: "look_up" }],
    });
    const outputs = [{ type: "function_call_output", call_id: "call_1", output: "42" }];
    const third = await c.create({ input: outputs, previous_response_id: second.json.id });
    assert.equal(third.status, 200, third.text);
    assert.equal(c.provider.calls.at(-1)?.prompt.items.length, 5, "user, assistant, user, call and output");
    assert.equal((await a.request("DELETE", `/v1/responses/${third.json.id}`)).status, 200);
    assertApiError(await b.request("GET", `/v1/responses/${third.json.id}`), {
      status: 404,
      code: "resource_not_found",
    });
  });
});

test("a response is cancelled by any node; the node that runs it settles it with the output so far", async () => {
  await withCluster({}, async ({ nodes: [a, b, c] }) => {
    const { id, reply } = await startResponse(a);
    const cancelled = await whileTimePasses(b.request("POST", `/v1/responses/${id}/cancel`), a, b);
    assert.deepEqual([cancelled.status, cancelled.json.status], [200, "cancelled"]);
    assert.equal(cancelled.json.output[0].content[0].text, "so far");
    assert.deepEqual((await reply).json, cancelled.json);
    assert.deepEqual((await c.request("GET", `/v1/responses/${id}`)).json, cancelled.json);
    assert.equal(a.provider.aborted, 1);
  });
});

test("a response of a paused node is cancelled too; the node's late end changes nothing", async () => {
  await withCluster({}, async ({ nodes: [a, b], sql }) => {
    const { id, reply } = await startResponse(a);
    // The clock of a paused process stands still.
    const cancelled = await whileTimePasses(b.request("POST", `/v1/responses/${id}/cancel`), b);
    assert.deepEqual([cancelled.status, cancelled.json.status, cancelled.json.output], [200, "cancelled", []]);
    assert.equal(a.provider.aborted, 0, "the paused node knows nothing yet");
    const wokeMs = a.clock.monotonicMs();
    assert.deepEqual((await whileTimePasses(reply, a)).json, cancelled.json);
    assert.equal(a.provider.aborted, 1, "it does not read its provider to the end");
    // Time passes while PostgreSQL replies: on a busy machine a second or two.
    assert.ok(a.clock.monotonicMs() - wokeMs <= 5000, "it stops at once");
    assert.equal((await b.request("GET", `/v1/responses/${id}`)).text, cancelled.text);
    const usage = await sql("select sum(responses) as responses from usage_by_hour");
    assert.equal(Number(usage.at(-1)?.["responses"]), 1, "settled once");
  });
});

test("deleting a response or a conversation stops its turn on the node that runs it", async () => {
  await withCluster({}, async ({ nodes: [a, b, c] }) => {
    const one = await startResponse(a);
    const deleted = await whileTimePasses(b.request("DELETE", `/v1/responses/${one.id}`), a, b);
    assert.equal(deleted.status, 200, deleted.text);
    assert.equal(a.provider.aborted, 1);

    const conversation = (await b.request("POST", "/v1/conversations")).json.id;
    const before = a.provider.calls.length;
    a.provider.plays([[{ type: "text", text: "so far" }], never]);
    const reply = a.create({ input: "Hi", conversation });
    await timePassesUntil(async () => a.provider.calls.length > before);
    assert.equal((await c.request("DELETE", `/v1/conversations/${conversation}`)).status, 200);
    await timePassesUntil(async () => a.provider.aborted === 2, a);
    await whileTimePasses(reply, a);
  });
});

test("a turn of a deleted conversation stops also when its deleter knew nothing of it, or died after the deletion", async () => {
  await withCluster({}, async ({ nodes: [a, b] }) => {
    const conversationId = (await b.request("POST", "/v1/conversations")).json.id;
    a.provider.plays([[{ type: "text", text: "so far" }], never]);
    const reply = a.create({ input: "Hi", conversation: conversationId });
    await timePassesUntil(async () => a.provider.calls.length === 1);
    const caller = { organizationId: a.organizationId, keyId: a.keyId };
    assert.ok(await b.store.deleteConversation({ caller, conversationId }));
    const deletedMs = a.clock.monotonicMs();
    await timePassesUntil(async () => a.provider.aborted === 1, a);
    // Time passes while PostgreSQL replies: on a busy machine a second or two.
    assert.ok(a.clock.monotonicMs() - deletedMs <= 5000);
    await whileTimePasses(reply, a);
  });
});

test("a run whose response was deleted, or failed as an orphan, while its node was paused stops at once", async () => {
  await withCluster({}, async ({ nodes: [a, b], sql }) => {
    const deleted = await startResponse(a);
    assert.equal((await whileTimePasses(b.request("DELETE", `/v1/responses/${deleted.id}`), b)).status, 200);
    const ended = await whileTimePasses(deleted.reply, a);
    assert.deepEqual([ended.status, ended.json.status, a.provider.aborted], [200, "cancelled", 1]);

    const orphan = await startResponse(a);
    await sql(`update responses set completed_at = created_at, status = 'failed' where public_id = '${orphan.id}'`);
    const wokeMs = a.clock.monotonicMs();
    assert.equal((await whileTimePasses(orphan.reply, a)).json.status, "failed");
    assert.equal(a.provider.aborted, 2);
    // Time passes while PostgreSQL replies: on a busy machine a second or two.
    assert.ok(a.clock.monotonicMs() - wokeMs <= 5000);
  });
});

test("another organization's key stops nothing", async () => {
  await withCluster({}, async ({ nodes: [a, b] }) => {
    const { id, reply } = await startResponse(a);
    const { organizationId } = await a.newOrganization();
    const { secret } = await a.newKey(organizationId);
    for (const [method, path] of [
      ["POST", `/v1/responses/${id}/cancel`],
      ["DELETE", `/v1/responses/${id}`],
    ] as const) {
      assertApiError(await whileTimePasses(b.request(method, path, { key: secret }), a, b), {
        status: 404,
        code: "resource_not_found",
      });
    }
    assert.equal(a.provider.aborted, 0);
    await whileTimePasses(a.request("POST", `/v1/responses/${id}/cancel`), a);
    await reply;
  });
});

test("the responses of a dead node are failed once, its late results are dropped, and it joins again", async () => {
  await withCluster({}, async ({ nodes: [a, b, c], sql }) => {
    const { id, reply } = await startResponse(a);
    await sql(`update nodes set lease_until_ms = 0 where id = (select owner from responses where public_id = '${id}')`);
    const read = async () => (await b.request("GET", `/v1/responses/${id}`)).json;
    await timePassesUntil(async () => (await read()).status === "failed", b, c);
    const failed = await read();
    assert.equal(failed.error.code, "run_failed");
    assert.equal(a.provider.aborted, 0, "the dead node knows nothing yet");

    // It runs on, finds that the others have expired its lease, stops its runs, and joins again.
    await timePassesUntil(async () => a.provider.aborted === 1, a);
    assert.deepEqual((await whileTimePasses(reply, a)).json, failed);
    const usage = await sql("select sum(responses) as responses from usage_by_hour");
    assert.equal(Number(usage.at(-1)?.["responses"]), 1, "settled once");
    assert.equal((await a.create({ input: "Again" })).json.status, "completed");
    await timePassesUntil(async () => a.logged.some(({ event }) => event === "node.expired"), a);
    assert.ok([b, c].some(({ logged }) => logged.some(({ event }) => event === "node.lost")));
  });
});

test("a node that cannot renew its lease is not ready, and ready again when it can", async () => {
  await withCluster({}, async ({ nodes: [a] }) => {
    const ready = async () => (await a.request("GET", "/readyz")).status;
    const isMember = async () => /^turngate_node_member (\d)$/m.exec(await a.metricsPage.render())?.[1];
    assert.deepEqual([await ready(), await isMember()], [200, "1"]);
    const { nodes } = a.manageServices;
    assert.ok(nodes !== null);
    const { renew } = nodes;
    Object.assign(nodes, { renew: () => Promise.reject(new StoreError("unavailable", "away")) });
    await a.clock.advance(11_000);
    assert.equal(await ready(), 200, "the lease of its last renewal lasts");
    await a.clock.advance(1_500);
    assert.deepEqual([await ready(), await isMember()], [503, "0"]);
    Object.assign(nodes, { renew });
    await timePassesUntil(async () => (await ready()) === 200, a);
  });
});

test("F-03: what a node begins when it wakes is not failed by those that took it for dead", async () => {
  await withCluster({}, async ({ nodes: [a], sql }) => {
    const { nodes } = a.manageServices;
    assert.ok(nodes !== null);
    const { renew } = nodes;
    Object.assign(nodes, { renew: () => Promise.reject(new StoreError("unavailable", "it stands still")) });
    await a.clock.advance(12_500);
    assertApiError(await a.create({ input: "Hi" }), { status: 503, code: "database_unavailable" });
    Object.assign(nodes, { renew });
    await sql("update nodes set gone_at_ms = 1");
    const creates = await Promise.all(Array.from({ length: 3 }, () => a.create({ input: "Hi" })));
    for (const { json } of creates) assert.equal(json.status, "completed");
    const begun = await sql(
      "select n.gone_at_ms, count(*) as turns from responses r join nodes n on n.id = r.owner group by 1",
    );
    assert.deepEqual(
      begun.map((row) => [row["gone_at_ms"], Number(row["turns"])]),
      [[null, 3]],
    );
    assert.equal(a.logged.filter(({ event }) => event === "node.expired").length, 1);
  });
});

test("a retry on another node finds the response in progress, and a stream of it gets the end", async () => {
  await withCluster({}, async ({ nodes: [a, b], sql }) => {
    const { opened, open } = gate();
    a.provider.plays([[{ type: "text", text: "Hello" }], opened, ...(says(" there") as readonly never[])]);
    const headers = { "idempotency-key": "k" };
    const first = a.stream({ input: "Hi" }, { headers });
    await timePassesUntil(async () => a.provider.calls.length === 1);
    assertApiError(await b.create({ input: "Hi", stream: true }, { headers }), {
      status: 409,
      code: "idempotency_in_progress",
    });
    // Once nothing withdraws it any more, a retry follows the response.
    await sql("update claims set claimed_at_ms = claimed_at_ms - 311000");
    const retried = b.stream({ input: "Hi" }, { headers });
    await timePassesUntil(async () => b.gateway.openStreams.count() === 1);
    open();
    const [whole, replayed] = await whileTimePasses(Promise.all([first, retried]), b);
    const last = (streamed: typeof whole) => streamed.events.at(-1)?.data;
    assert.equal(last(replayed)?.type, "response.completed");
    assert.deepEqual(last(replayed)?.response, last(whole)?.response);
    assert.equal(a.provider.calls.length + b.provider.calls.length, 1);
  });
});

test("fifty equal requests over three nodes make one provider call", async () => {
  await withCluster({}, async ({ nodes }) => {
    for (const key of ["a", "b", "c"]) {
      const before = nodes.reduce((sum, { provider }) => sum + provider.calls.length, 0);
      const twins = Array.from({ length: 50 }, (_, at) =>
        nodes[at % 3]!.create({ input: "Hi" }, { headers: { "idempotency-key": key } }),
      );
      const answers = await Promise.all(twins);
      const ids = new Set(answers.filter(({ status }) => status === 200).map(({ json }) => json.id));
      assert.equal(ids.size, 1);
      for (const { status, json } of answers) {
        if (status !== 200) assert.deepEqual([status, json.error.code], [409, "idempotency_in_progress"]);
      }
      assert.equal(
        nodes.reduce((sum, { provider }) => sum + provider.calls.length, 0),
        before + 1,
      );
    }
  });
});

// `npm test` has ten of the thirty.
test("F-02, F-03: thirty kills and pauses of three processes lose no response and begin none twice", {
  timeout: 200_000,
}, async (t) => {
  const { by } = drawSteps(t);
  const found = await runCycles(await openFastNodes(), {
    cycles: 30 / by,
    clients: 6,
    seed: 1713,
    fates: ["kill", "pause", "pause"],
    lanes: 3,
    report: () => {},
  });
  t.diagnostic(JSON.stringify(found));
  assert.deepEqual(found.violations, []);
  // Otherwise they struck nothing.
  assert.ok(found.failed > 0 && found.acknowledged > found.failed && found.sentAgain > 0);
});
