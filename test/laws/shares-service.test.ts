// One organization takes all that it can of everything that a service shares, at once, and others are served as if it were
// not there: docs/decisions/shares.md. The shares of each thing by itself are in shares.test.ts.
import assert from "node:assert/strict";
import { request as httpRequest, type ClientRequest } from "node:http";
import { test } from "node:test";
import { LiveStream } from "../support/live-stream.ts";
import { FINISHED, gate } from "../support/scripted-provider.ts";
import { TEST_MODELS, testModel } from "../support/service-config.ts";
import { type TestService, withService } from "../support/service.ts";
import { until } from "../support/until.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const MODEL = testModel("test/large", {
  contextWindow: 40_000_000,
  maxOutputTokens: 9_000_000,
  defaultOutputTokens: 9_000_000,
});
const LIMITS = {
  concurrent_turns: 10,
  queued_turns: 5,
  body_bytes: MIB,
  bodies_in_hand_bytes: 2 * MIB,
  outputs_in_hand_bytes: 8 * MIB,
};

test("slots, places, bodies and outputs that one organization floods together are left to others", () =>
  withService({ models: [...TEST_MODELS, MODEL], limits: LIMITS }, async (service) => {
    const flood = await startFlood(service);
    const occupied = service.gateway.occupancy();
    assert.deepEqual([occupied.responsesRunning, occupied.responsesQueued], [8, 4], "80 % of slots and places");
    assert.ok(service.gateway.outputs.held() > LIMITS.outputs_in_hand_bytes / 2, "the room for outputs");

    // Two others, each with a large body and an output, in turns that are streamed and that are not.
    for (let other = 0; other < 2; other++) {
      const { organizationId } = await service.newOrganization();
      const { secret: key } = await service.newKey(organizationId);
      for (const stream of [false, true]) {
        service.provider.plays([[{ type: "text", text: "y".repeat(100_000) }], FINISHED]);
        const reply = await service.create({ model: MODEL.id, input: "x".repeat(200 * KIB), stream }, { key });
        assert.equal(reply.status, 200, reply.text.slice(0, 500));
        assert.match(reply.text, /"status": ?"completed"/);
      }
    }
    // The organization itself is at its end.
    const refused = await service.create({ model: MODEL.id, input: "Hi" }, { key: flood.key });
    assert.equal(refused.status, 429, refused.text);
    assert.ok(flood.refusedBodies() > 0);
    flood.end();
    await until("the turns to end", () => service.gateway.occupancy().responsesRunning === 0);
    await until("the room to be free", () => service.gateway.outputs.held() === 0);
  }));

/** Turns that emit much and then hang, with cut connections, and bodies that are almost sent. */
async function startFlood(service: TestService) {
  const { organizationId } = await service.newOrganization();
  const { secret: key } = await service.newKey(organizationId);
  const { opened, open } = gate();
  const act = [{ type: "text" as const, text: "x".repeat(1_000_000) }];
  service.provider.plays(...Array.from({ length: 8 }, () => [act, opened, FINISHED]));
  let refusedBodies = 0;
  const bodies: ClientRequest[] = Array.from({ length: 16 }, () => {
    const headers = { authorization: `Bearer ${key}`, "content-length": MIB };
    const sent = httpRequest(`${service.baseUrl}/v1/responses`, { method: "POST", headers, agent: false });
    sent
      .on("error", () => {})
      .on("response", (reply) => {
        reply.resume();
        refusedBodies++;
      });
    sent.write(" ".repeat(MIB - KIB));
    return sent;
  });
  await until("bodies to be refused", () => refusedBodies > 0);
  for (let turn = 0; turn < 12; turn++) {
    // oxlint-disable no-await-in-loop -- one after the other, so that each has its place
    const stream = await LiveStream.open(service, { model: MODEL.id }, { key });
    await stream.sees("response.created");
    stream.drop();
    // oxlint-enable no-await-in-loop
  }
  await until("its turns", () => service.provider.calls.length >= 8);
  return {
    key,
    refusedBodies: () => refusedBodies,
    end() {
      open();
      for (const body of bodies) body.destroy();
    },
  };
}
