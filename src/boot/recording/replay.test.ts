import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { PlayedTurn } from "./play-turn.ts";
import { listDifferences, openFixture, replay } from "./replay.ts";

const FIXTURE = new URL("../../../test/providers/exchanges/fixtures/anthropic.json", import.meta.url);
const text = readFileSync(FIXTURE, "utf8");
const fixture = openFixture("anthropic.json", text);

test("an outcome that the fixture does not expect is named by its place", async () => {
  const { unexpected } = await replay({ ...fixture, expected: { ...fixture.expected, status: "failed" } });
  assert.equal(unexpected, '$.status: "completed" instead of "failed"');
});

test("a response that was lost on its way plays to a failure", async () => {
  const [exchange] = fixture.exchanges;
  assert.ok(exchange !== undefined);
  const { headers, status } = exchange.response;
  const lost = { ...exchange, response: { status, headers, chunks: [], is_whole: false } };
  const { response } = await replay({ ...fixture, exchanges: [lost] });
  assert.equal(response.error?.code, "provider_unavailable");
});

test("a difference between chunks is named by its place; where a delta ends is none", async () => {
  const recorded = await replay(fixture);
  const cutDeltas = (turn: PlayedTurn): PlayedTurn => ({
    ...turn,
    events: turn.events.flatMap((event) =>
      event.type === "response.output_text.delta" && event.delta.length > 1
        ? [
            { ...event, delta: event.delta.slice(0, 1) },
            { ...event, delta: event.delta.slice(1) },
          ]
        : [event],
    ),
  });
  const { usage: _none, ...rest } = recorded.response;
  const found = listDifferences({ recorded, whole: cutDeltas(recorded), bytes: { ...recorded, response: rest } });
  assert.deepEqual(
    found.map(({ chunks, at }) => [chunks, at.slice(0, 16)]),
    [["bytes", "$.usage: nothing"]],
  );
});

test("a text that is no fixture, or of an unknown family, is rejected", () => {
  assert.throws(() => openFixture("a.json", "{}"), /a\.json is no fixture/);
  assert.throws(() => openFixture("a.json", "no JSON"), /a\.json is no fixture/);
  assert.throws(
    () => openFixture("a.json", JSON.stringify({ ...fixture, family: "other" })),
    /no provider family "other"/,
  );
});
