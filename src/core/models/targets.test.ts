import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseId } from "../../contract/ids.ts";
import type { FunctionCall } from "../../contract/items.ts";
import { targetOf } from "../../../test/support/targets.ts";
import { keptState, rankTargets, statesFor, targetOfRounds } from "./targets.ts";

const namesOf = (targets: readonly { readonly target: string }[]) => targets.map(({ target }) => target);

test("a turn tries targets by their order, within an order by a draw with their weights", () => {
  const targets = [
    targetOf("late", { order: 2 }),
    targetOf("heavy", { weight: 3 }),
    targetOf("light"),
    targetOf("spare", { weight: 0 }),
  ];
  const firsts = new Map<string, number>();
  const draws = 4000;
  for (let draw = 0; draw < draws; draw++) {
    const names = namesOf(rankTargets(targets, { seed: `resp_${draw}`, first: null }));
    assert.deepEqual(names.slice(2), ["spare/m", "late/m"]);
    firsts.set(String(names[0]), (firsts.get(String(names[0])) ?? 0) + 1);
  }
  const share = (firsts.get("heavy/m") ?? 0) / draws;
  assert.ok(
    share > 0.72 && share < 0.78,
    `${share} of the turns begin at the target with three quarters of the weight`,
  );
});

test("the order of a turn's targets follows from the seed alone, not from their order in the file", () => {
  const targets = ["a", "b", "c", "d"].map((name) => targetOf(name));
  for (let draw = 0; draw < 50; draw++) {
    const order = { seed: `resp_${draw}`, first: null };
    assert.deepEqual(namesOf(rankTargets(targets.toReversed(), order)), namesOf(rankTargets(targets, order)));
  }
});

test("the target of the turn's earlier rounds comes first, whatever its order", () => {
  const targets = [targetOf("a"), targetOf("b", { order: 2 })];
  assert.deepEqual(namesOf(rankTargets(targets, { seed: "s", first: "b/m" })), ["b/m", "a/m"]);
  assert.deepEqual(namesOf(rankTargets(targets, { seed: "s", first: "gone/m" })), ["a/m", "b/m"]);
});

test("a round's state goes back to the target that made it alone", () => {
  const [a, b] = [targetOf("a"), targetOf("b")];
  const call = { type: "function_call" } as FunctionCall;
  const round = (state: unknown) => ({ responseId: "resp_1" as ResponseId, model: a.id, state });
  const { target: _, ...plain } = a;
  const kept = round(keptState(a, { signature: "s" }, [call]));
  assert.deepEqual(statesFor(a, [kept]), [round({ signature: "s" })]);
  assert.deepEqual([statesFor(b, [kept]), statesFor(plain, [kept])], [[], []]);
  assert.equal(targetOfRounds([kept]), "a/m");

  // A model that had no targets when the round ran.
  const before = round(keptState(plain, { signature: "s" }, [call]));
  assert.deepEqual([statesFor(plain, [before]), statesFor(a, [before])], [[before], []]);
  assert.equal(targetOfRounds([before]), null);
  assert.deepEqual(statesFor({ ...plain, id: "test/other" }, [before]), []);

  // A round without a state is continued at its target too.
  const stateless = round(keptState(a, null, [call]));
  assert.deepEqual([statesFor(a, [stateless]), targetOfRounds([stateless])], [[], "a/m"]);
  assert.equal(keptState(a, null, []), null);
});
