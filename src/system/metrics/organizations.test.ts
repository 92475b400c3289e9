import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import type { ResponseReport, ResponseStart, Telemetry } from "../../ports/telemetry.ts";
import { createOrganizationMetrics, ORGANIZATIONS_MAX } from "./organizations.ts";

const COMPLETED: ResponseReport = {
  status: "completed",
  code: null,
  incompleteReason: null,
  usage: {
    input_tokens: 7,
    input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 1 },
    total_tokens: 11,
  },
  charge: { chargedNano: 1_500_000_000n, shortfallNano: 0n },
};

/** Counters around telemetry that counts its calls. */
function start() {
  const registry = new Registry();
  const passedOn: string[] = [];
  const inner = {
    requestStarted: () => ({ during: <T>(work: () => T) => work(), ended: () => void passedOn.push("request") }),
    responseStarted: () => ({
      providerCall: async () => {},
      targetCalled() {},
      output() {},
      ended: () => void passedOn.push("response"),
    }),
  } as unknown as Telemetry;
  const { telemetry, list } = createOrganizationMetrics(registry, inner);
  return {
    list,
    passedOn,
    turn: (organizationId: string, report = COMPLETED) =>
      telemetry.responseStarted({ organizationId } as ResponseStart).ended(report),
    error: (organizationId: string | undefined) =>
      telemetry
        .requestStarted({} as Parameters<Telemetry["requestStarted"]>[0])
        .ended({ status: 400, code: "invalid_input", isStream: false, organizationId }),
    /** The samples of a metric, `labels value` each. */
    async read(metric: string) {
      const lines = (await registry.metrics()).split("\n").filter((line) => line.startsWith(`${metric}{`));
      return lines.map((line) => line.slice(metric.length));
    },
  };
}

test("turns, tokens, credits and errors are counted by organization, and passed on to the other metrics", async () => {
  const { turn, error, passedOn, read } = start();
  turn("org_a");
  turn("org_a", { ...COMPLETED, status: "failed", usage: null, charge: null });
  turn("org_b");
  error("org_b");
  error(undefined);
  assert.deepEqual(await read("turngate_organization_turns_total"), [
    '{organization="org_a",status="completed"} 1',
    '{organization="org_a",status="failed"} 1',
    '{organization="org_b",status="completed"} 1',
  ]);
  assert.deepEqual(
    (await read("turngate_organization_tokens_total")).filter((line) => line.includes("org_a")),
    [
      '{organization="org_a",kind="input"} 5',
      '{organization="org_a",kind="cached_input"} 2',
      '{organization="org_a",kind="output"} 3',
      '{organization="org_a",kind="reasoning"} 1',
    ],
  );
  assert.deepEqual(await read("turngate_organization_credits_charged_total"), [
    '{organization="org_a"} 1.5',
    '{organization="org_b"} 1.5',
  ]);
  assert.deepEqual(await read("turngate_organization_refusals_total"), [
    '{organization="org_b",code="invalid_input"} 1',
  ]);
  assert.deepEqual(passedOn, ["response", "response", "response", "request", "request"]);
});

test("organizations beyond the places are summed as `other`, and those with a place keep it", async () => {
  const { turn, list, read } = start();
  list(["org_busy"]);
  for (let number = 1; number < ORGANIZATIONS_MAX; number++) turn(`org_${number}`);
  turn("org_late");
  turn("org_later");
  list(["org_later"]);
  turn("org_later");
  turn("org_busy");
  turn("org_1");
  const samples = await read("turngate_organization_credits_charged_total");
  assert.equal(samples.length, ORGANIZATIONS_MAX + 1);
  assert.deepEqual(
    samples.filter((line) => !line.endsWith(" 1.5") || line.includes("busy")),
    ['{organization="org_1"} 3', '{organization="other"} 4.5', '{organization="org_busy"} 1.5'],
  );
});
