import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_POLICY, NO_RULES } from "../../ports/store/accounts.ts";
import { NO_LIMITS } from "../../ports/store/limits.ts";
import { rulesOf } from "../../ports/store/rules-of.ts";
import { changeRules } from "./rules.ts";

const BEFORE = {
  policy: { allowModels: ["a"], denyModels: ["x"], toolCallsPerTurn: 3 },
  limits: { ...NO_LIMITS, openStreams: 4 },
  retentionDays: 30,
  rules: NO_RULES,
};

test("rules from before there were ceilings: whoever changes them next takes them over", () => {
  for (const setter of ["operator", "organization"] as const) {
    const { policy, retentionDays, rules } = changeRules(BEFORE, setter, {
      policy: { denyModels: [] },
      retentionDays: 90,
    });
    assert.deepEqual(policy, { allowModels: ["a"], denyModels: [], toolCallsPerTurn: 3 });
    assert.equal(retentionDays, 90);
    assert.deepEqual(rules, { ...NO_RULES, [setter]: { policy, retentionDays } });
  }
});

test("limits from before there were ceilings are the operator's", () => {
  const { limits, rules } = changeRules(BEFORE, "organization", { limits: { openStreams: 9, createPerMinute: 2 } });
  assert.deepEqual(limits, { ...NO_LIMITS, openStreams: 4, createPerMinute: 2 });
  assert.deepEqual(rules.operator.limits, BEFORE.limits);
  // The audit log shows them so, as those of before a change.
  assert.deepEqual(rulesOf(BEFORE, "organization").limits, NO_LIMITS);
  assert.deepEqual(rulesOf(BEFORE, "operator").limits, BEFORE.limits);
});

test("a list of allowed models that both have: the models on both, which may be none", () => {
  const operator = changeRules({ ...BEFORE, policy: NO_POLICY }, "operator", { policy: { allowModels: ["a"] } });
  assert.deepEqual(changeRules(operator, "organization", { policy: { allowModels: ["b"] } }).policy.allowModels, []);
});
