import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { SpokenResponse } from "../../ports/content-export.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { until } from "../../../test/support/until.ts";
import type { OutgoingFetch } from "../../ports/outgoing-fetch.ts";
import { type ContentExportSettings, createContentExporter } from "./exporter.ts";

const MIB = 1024 * 1024;

function turnOf(text = "hello", organizationId = "org_1"): SpokenResponse {
  return {
    start: { responseId: "resp_1", organizationId, model: "test/all", provider: "scripted", upstreamModel: "all" },
    prompt: { instructions: null, items: [{ type: "message", role: "user", text }] },
    output: [],
    report: { status: "completed", code: null, incompleteReason: null, usage: null, charge: null },
    beganMs: 1,
    endedMs: 2,
  } as unknown as SpokenResponse;
}

/** An exporter whose collector answers as `answer` says; `onEncode` is called for each response that is encoded. */
function start(
  answer: (body: string) => Promise<Response> | Response,
  more: Partial<ContentExportSettings> = {},
  onEncode: () => void = () => {},
) {
  const clock = new FakeClock();
  const logged: string[] = [];
  const counts = { sent: 0, lost: 0 };
  const bodies: string[] = [];
  const record = (event: string, fields?: object) => void logged.push(`${event} ${JSON.stringify(fields ?? {})}`);
  const fetch: OutgoingFetch = async (_url, { body, signal }) => {
    bodies.push(Buffer.from(body as Uint8Array).toString());
    const stopped = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new Error("stopped")));
    });
    return Promise.race([answer(bodies.at(-1) ?? ""), stopped]);
  };
  const settings: ContentExportSettings = {
    url: "http://collector/v1/traces",
    headers: {},
    organizations: "all",
    turnBytes: 65_536,
    waitingBytes: 16 * MIB,
    version: "1",
    ...more,
  };
  const exporter = createContentExporter(settings, {
    clock,
    fetch,
    log: { debug: record, info: record, warn: record, error: record },
    telemetry: { sent: (turns) => (counts.sent += turns), lost: (turns) => (counts.lost += turns) },
    genAiNameOf: (name) => {
      onEncode();
      return name;
    },
  });
  return { exporter, clock, logged, counts, bodies };
}

const spansOf = (body: string) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans as { name: string }[];

test("turns that end within a second are sent together", async () => {
  const { exporter, clock, bodies, counts } = start(() => new Response("{}"));
  for (let at = 0; at < 3; at++) exporter.responseEnded(turnOf());
  assert.equal(bodies.length, 0);
  await clock.advance(1000);
  await until("the answer", () => counts.sent === 3);
  assert.equal(spansOf(bodies[0] ?? "").length, 3);
  assert.equal(clock.pending, 0);
});

test("turns of other organizations than those named are not exported", async () => {
  const { exporter, clock, bodies, counts } = start(() => new Response(), { organizations: ["org_2"] });
  exporter.responseEnded(turnOf("a", "org_1"));
  exporter.responseEnded(turnOf("b", "org_2"));
  await clock.advance(1000);
  await until("the answer", () => counts.sent === 1);
  assert.doesNotMatch(bodies.join(), /org_1/);
});

test("a collector that is down costs a bounded number of bytes, and gets what waits when it is back", async () => {
  let isUp = false;
  const { exporter, clock, counts, bodies, logged } = start(
    () => (isUp ? new Response() : Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" }))),
    { waitingBytes: MIB },
  );
  for (let at = 0; at < 100; at++) exporter.responseEnded(turnOf("x".repeat(30_000)));
  assert.ok(counts.lost > 60 && counts.lost < 70, `${counts.lost} lost`);
  const kept = 100 - counts.lost;
  await clock.advance(60_000);
  assert.ok(bodies.length > 3 && bodies.length < 10, `${bodies.length} requests in a minute`);
  isUp = true;
  await clock.advance(31_000);
  await until("what waited", () => counts.sent === kept);
  assert.deepEqual(
    logged.map((line) => line.split(" ")[0]),
    ["content_export.failed", "content_export.recovered"],
  );
  assert.match(logged[0] ?? "", /ECONNREFUSED/);
});

test("while the queue is full, responses are lost without being encoded; when a batch has left they are kept again", async () => {
  let encoded = 0;
  const { exporter, clock, counts } = start(
    () => new Response(),
    { waitingBytes: MIB },
    () => void encoded++,
  );
  for (let at = 0; at < 100; at++) exporter.responseEnded(turnOf("x".repeat(30_000)));
  assert.equal(encoded, 100 - counts.lost + 1, "only the first that did not fit");
  const kept = 100 - counts.lost;
  await clock.advance(1000);
  await until("what waited", () => counts.sent === kept);
  exporter.responseEnded(turnOf());
  await clock.advance(1000);
  await until("the turn after it", () => counts.sent === kept + 1);
});

test("a request that gets no answer within ten seconds is sent again", async () => {
  let tries = 0;
  const { exporter, clock, counts } = start(() => (++tries === 1 ? new Promise(() => {}) : new Response()));
  exporter.responseEnded(turnOf());
  await clock.advance(1000);
  exporter.responseEnded(turnOf());
  await clock.advance(9000);
  assert.equal(tries, 1);
  await clock.advance(1000);
  await turn();
  await clock.advance(2000);
  await until("the second request", () => counts.sent === 2);
});

test("what the collector rejects is dropped, and logged once", async () => {
  const { exporter, clock, counts, logged } = start(() => new Response("no", { status: 401 }));
  exporter.responseEnded(turnOf("canary"));
  await clock.advance(1000);
  await until("the first answer", () => counts.lost === 1);
  exporter.responseEnded(turnOf("canary"));
  await clock.advance(30_000);
  await until("the second answer", () => counts.lost === 2);
  assert.deepEqual(logged, ['content_export.failed {"reason":"status 401","turns":1}']);
});

test("spans that the collector says it rejected are counted as lost", async () => {
  const { exporter, clock, counts } = start(() => Response.json({ partialSuccess: { rejectedSpans: "1" } }));
  for (let at = 0; at < 3; at++) exporter.responseEnded(turnOf());
  await clock.advance(1000);
  await until("the answer", () => counts.sent === 2 && counts.lost === 1);
});

test("closing sends what waits, and takes at most three seconds", async () => {
  const well = start(() => new Response());
  well.exporter.responseEnded(turnOf());
  await well.exporter.close();
  assert.deepEqual(well.counts, { sent: 1, lost: 0 });

  const dead = start(() => new Promise(() => {}));
  dead.exporter.responseEnded(turnOf());
  const closing = dead.exporter.close();
  await turn();
  await dead.clock.advance(3000);
  await closing;
  assert.deepEqual(dead.counts, { sent: 0, lost: 1 });
  assert.deepEqual(dead.logged.at(-1), 'content_export.lost {"turns":1}');
  dead.exporter.responseEnded(turnOf());
  assert.equal(dead.clock.pending, 0);
});
