// A running response keeps only the parts of its request that it still needs, whether its client waits or has
// disconnected. docs/decisions/bodies.md; docs/reliability.md, A-2
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import type { Provider } from "../../../src/ports/provider.ts";
import { memoryInUse } from "../../support/memory.ts";
import { withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const RUNS = 6;
const BYTES = 6 * 1024 * 1024;

/** A provider that is silent until its run is stopped, and keeps nothing of its call. */
function silentProvider(): { readonly provider: Provider; asked(): number } {
  let asked = 0;
  const provider: Provider = {
    name: "silent",
    reasoningOf: () => null,
    run({ signal }) {
      asked++;
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
      });
    },
    close: () => Promise.resolve(),
  };
  return { provider, asked: () => asked };
}

/** A body of this size, nearly all in one field. */
function bodyOf(start: string, end: string): Buffer {
  return Buffer.from(`{"model":"test/all","input":"Hi",${start}${"x".repeat(BYTES)}${end}`);
}

for (const { what, body, copies } of [
  { what: "nothing of what nobody reads", body: bodyOf('"z":"', '"}'), copies: 0 },
  {
    what: "nothing of what nobody reads, streamed",
    body: bodyOf('"stream":true,"z":"', '"}'),
    stream: true,
    copies: 0,
  },
  {
    what: "one copy of what its response will echo",
    body: bodyOf('"tools":[{"type":"function","name":"t","description":"', '"}]}'),
    copies: 1,
  },
]) {
  for (const hasGone of [false, true]) {
    test(`a running turn keeps ${what}; its client ${hasGone ? "has gone" : "waits"}`, async () => {
      const { provider, asked } = silentProvider();
      const providers = { get: () => provider, close: () => Promise.resolve() };
      const limits = { bodies_in_hand_bytes: 1_000_000_000 };
      await withService({ providers, limits }, async (service) => {
        const headers = { authorization: `Bearer ${service.key}`, "content-length": body.length };
        const post = async (runs: number) => {
          const { promise: closed, resolve } = Promise.withResolvers<void>();
          const sent = httpRequest(`${service.baseUrl}/v1/responses`, { method: "POST", headers, agent: false });
          sent
            .on("error", () => {})
            .on("response", (reply) => reply.resume())
            .on("close", resolve);
          sent.end(body);
          await until("the provider to be asked", () => asked() === runs);
          if (hasGone) {
            sent.destroy();
            await closed;
          }
        };
        await post(1);
        const before = await memoryInUse();
        for (let run = 2; run <= RUNS + 1; run++) await post(run);
        const kept = ((await memoryInUse()) - before) / BYTES / RUNS;
        assert.ok(kept < copies + 0.5, `${kept.toFixed(2)} times its bytes are kept a run`);
        assert.ok(kept > copies - 0.5, `${kept.toFixed(2)} times: what is measured is not what is kept`);
      });
    });
  }
}
