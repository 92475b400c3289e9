// The obfuscation of deltas, on by default. @spec events
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Streamed, StreamedEvent } from "../../support/http-client.ts";
import { calls, FINISHED } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

const TOOLS = [{ type: "function", name: "look_up" }];

const names = ({ events }: Streamed) => events.map(({ event }) => event.replace("response.", ""));

describe("obfuscation", () => {
  const deltas = (streamed: Streamed) => streamed.events.filter(({ event }) => event.endsWith(".delta"));
  const texts = ["a", "four score", "x".repeat(16), '\n"\\', "ü", "👋🏽", "\u2028", "{}"];

  /** Text, refusal and arguments in one stream. */
  async function mixed(body: object): Promise<Streamed> {
    service.provider.plays([
      ...texts.map((text) => [{ type: "text" as const, text }]),
      [{ type: "refusal", text: "no" }],
      ...calls({ callId: "a", args: '{"q":"ü"}' }),
    ]);
    return service.stream({ input: "Hi", tools: TOOLS, ...body });
  }

  test("pads every delta so that its frame's size reveals only blocks of 16 bytes", async () => {
    for (const body of [{}, { stream_options: {} }, { stream_options: { include_obfuscation: true } }]) {
      const streamed = await mixed(body);
      assert.equal(deltas(streamed).length, texts.length + 2);
      for (const { data } of deltas(streamed)) {
        const bytes = Buffer.byteLength(JSON.stringify(data.delta)) - 2;
        assert.match(data.obfuscation, /^[A-Za-z0-9]{1,16}$/);
        assert.equal((bytes + data.obfuscation.length) % 16, 0, data.delta);
      }
    }
  });

  test("deltas of one block have frames of one size", async () => {
    service.provider.plays([...["a", "bb", "c".repeat(15)].map((text) => [{ type: "text" as const, text }]), FINISHED]);
    const { text } = await service.stream({ input: "Hi" });
    const frames = text.split("\n\n").filter((frame) => frame.includes("output_text.delta"));
    assert.equal(new Set(frames.map((frame) => frame.length)).size, 1);
  });

  test("is on deltas only, and nowhere when it is turned off", async () => {
    const on = await mixed({});
    const others = on.events.filter(({ event }: StreamedEvent) => !event.endsWith(".delta"));
    assert.ok(others.every(({ data }) => !("obfuscation" in data)));
    const off = await mixed({ stream_options: { include_obfuscation: false } });
    assert.equal(off.text.includes("obfuscation"), false);
    assert.deepEqual(names(off), names(on));
  });
});
