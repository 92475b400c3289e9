// Contract: the responses of a filter, counted by hour and model.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseFilter } from "../../../src/ports/store/response-log.ts";
import { TESTS } from "../../support/actor.ts";
import { ACME, ACME_OTHER_KEY, OTHER, runResponse, START_MS } from "../fixtures.ts";
import { describeStore } from "./suite.ts";
import { EVERY_TURN } from "./response-log-fixtures.ts";

const HOUR = Math.ceil(START_MS / 3_600_000);
const FIRST = HOUR * 3600;
const FAILURE = { status: "failed", error: { code: "provider_error", message: "m" }, failure: null } as const;
const [SMALL, LARGE] = ["acme/small", "acme/large"];

export const testResponseCounts = describeStore("counts of turns", (suite) => {
  const count = async (filter: Partial<ResponseFilter> = {}, readsMax = 1000) => {
    const { counts, readFrom } = await suite.store.countResponses({
      filter: { organizationId: "org_acme", ...EVERY_TURN, ...filter },
      readsMax,
    });
    return { rows: counts.map(({ hour, model, responses }) => [hour - HOUR, model, responses]), readFrom };
  };
  const rowsOf = async (filter: Partial<ResponseFilter>) => (await count(filter)).rows;

  test("the responses of a filter are counted by hour and model", async () => {
    const { store } = suite;
    await runResponse(store, { head: { createdAt: FIRST } });
    await runResponse(store, { head: { createdAt: FIRST + 3599 }, end: FAILURE });
    await runResponse(store, { head: { createdAt: FIRST + 3599, model: LARGE }, end: { status: "cancelled" } });
    await runResponse(store, { head: { createdAt: FIRST + 3600 }, begin: { caller: ACME_OTHER_KEY }, end: FAILURE });
    await runResponse(store, { head: { createdAt: FIRST + 3600 }, begin: { caller: OTHER }, end: FAILURE });
    const both = [
      [0, SMALL, 1],
      [1, SMALL, 1],
    ];
    assert.deepEqual(await count(), { rows: [[0, LARGE, 1], [0, SMALL, 2], both[1]], readFrom: null });
    assert.deepEqual(await rowsOf({ status: "failed" }), both);
    assert.deepEqual(await rowsOf({ failureCode: "provider_error", keyId: ACME.keyId }), [both[0]]);
    assert.deepEqual(await rowsOf({ status: "cancelled" }), [[0, LARGE, 1]]);
    assert.deepEqual(await rowsOf({ status: "completed" }), [both[0]]);
    assert.deepEqual(await rowsOf({ status: "failed", model: LARGE }), []);
    assert.deepEqual(await rowsOf({ from: FIRST + 1, to: FIRST + 3600, status: "failed" }), [both[0]]);
    assert.deepEqual(await rowsOf({ organizationId: "org_other", keyId: ACME.keyId }), []);
    assert.deepEqual(await rowsOf({ conversationId: "conv_missing" }), []);
  });

  test("the newest turns are counted when there are more than may be read, of each key of a member alike", async () => {
    const { store } = suite;
    const { organizationId } = ACME;
    const memberId = "mem_counted";
    await store.addMember({ by: TESTS, id: memberId, organizationId, email: "c@a.b", role: "member", createdAt: 1 });
    for (const [id, hours] of [
      ["key_often", [0, 1, 2, 3, 4]],
      ["key_seldom", [0, 4]],
    ] as const) {
      const key = {
        id,
        organizationId,
        memberId,
        name: id,
        permission: "all",
        createdAt: 1,
        revokedAt: null,
      } as const;
      await store.createKey({ by: TESTS, key, secret: { lookup: `look_${id}`, hash: id } });
      for (const hour of hours) {
        const head = { createdAt: FIRST + hour * 3600 + 7 };
        await runResponse(store, { begin: { caller: { organizationId, keyId: id } }, head });
      }
    }
    const newest = [
      [3, SMALL, 1],
      [4, SMALL, 2],
    ];
    assert.deepEqual(await count({ memberId }, 4), { rows: newest, readFrom: FIRST + 2 * 3600 + 8 });
    assert.deepEqual(await count({ keyId: "key_seldom" }, 1), { rows: [[4, SMALL, 1]], readFrom: FIRST + 8 });
    assert.deepEqual(await count({ keyId: "key_seldom" }, 2), {
      rows: [
        [0, SMALL, 1],
        [4, SMALL, 1],
      ],
      readFrom: null,
    });
  });
});
