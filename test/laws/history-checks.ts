// What a reply of the service, and a prompt that a provider was sent, must be by the oracle of histories.
import assert from "node:assert/strict";
import type { Prompt } from "../../src/core/response/prompt.ts";
import type { Loose, Reply } from "../support/http-client.ts";
import type { Conversation, Entry, Planned, Rejected, Said, StoredResponse } from "./history-model.ts";
import { lineOf, living, pairResults, promptOf } from "./history-prompt.ts";
import { faultOf, lineOfWire, linesOf, listed } from "./history-wire.ts";
import { rejectedBy } from "./provider-demands.ts";

/** Name and arguments. */
const CALL_SIZE = "look_up{}".length;

/** Whether a reply is an error, which must be the expected one; null: none is expected. */
export function expectReply(answer: Reply, expected: Rejected | null, { anyParam = false } = {}): boolean {
  const { code, param } = answer.json?.error ?? { code: null, param: null };
  const { status } = answer;
  if (expected === null) assert.equal(status, 200, answer.text);
  else assert.deepEqual({ status, code, param: anyParam ? expected.param : param }, expected, answer.text);
  return expected !== null;
}

/** The conversation, as it is now. */
export function expectConversation(answer: Reply, { id, metadata }: Conversation): void {
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([answer.json.id, answer.json.metadata], [id, metadata]);
}

/** The response of an id; the items that its history keeps of it take their ids. */
export function expectResponse(response: Loose, turn: StoredResponse): void {
  const { id, status, previous_response_id: previous, conversation, output } = response;
  assert.deepEqual(
    { id, status, previous, named: conversation?.id ?? null, output: output.map(lineOfWire) },
    {
      id: turn.id,
      status: turn.status,
      previous: turn.previous,
      named: turn.named,
      output: turn.output.map(listed),
    },
  );
  assert.equal("usage" in response, turn.status !== "in_progress");
  if (turn.end < 0) return;
  const kept = turn.thread.log.filter((entry) => entry.turn === turn).slice(turn.input.length);
  const items = output.filter((item: Loose) => item.type !== "function_call" || item.status === "completed");
  for (const [index, entry] of kept.entries()) entry.id ??= items[index].id;
}

/** A list of just these entries. */
export function expectList(answer: Reply, entries: readonly Entry[]): void {
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(
    answer.json.data.map(lineOfWire),
    entries.map(({ said }) => listed(said)),
  );
  for (const [index, entry] of entries.entries()) {
    entry.id ??= answer.json.data[index].id;
    assert.equal(answer.json.data[index].id, entry.id);
  }
}

/**
 * Asserts that a prompt is the predicted one, as far as it fits the usable characters, and valid for every provider.
 */
export function expectSent(sent: Prompt | undefined, planned: Planned, usable: number): void {
  assert.ok(sent !== undefined);
  const { items } = sent;
  const lines = linesOf(items);
  if (sizeOf(planned) <= usable) assert.deepEqual(lines, planned.prompt);
  else {
    assert.ok(isPartOf(lines, planned.prompt), `${lines.join("\n")}\nis no part of\n${planned.prompt.join("\n")}`);
    const kept = planned.input.filter(({ kind }) => kind === "user" || kind === "result").map(lineOf);
    assert.deepEqual(
      kept.filter((line) => !lines.includes(line)),
      [],
    );
    expectWholeTurns(lines, planned, usable);
  }
  assert.equal(faultOf(items) ?? rejectedBy(sent), null, lines.join("\n"));
}

/**
 * Asserts that a truncated prompt has the newest turns that fit nine tenths of the window, each whole, and the one that
 * is continued. Items that clients added are not modelled as responses: a history that has some is not checked.
 */
function expectWholeTurns(lines: readonly string[], planned: Planned, usable: number): void {
  const entries = living(planned.view.entries);
  if (entries.some(({ turn }) => turn === null)) return;
  const roots = [...new Set(entries.map(({ turn }) => turn?.root))].filter((root) => root !== planned.root);
  const keeping = (newest: number) => {
    const kept = new Set([planned.root, ...roots.slice(roots.length - newest)]);
    return partOf(planned, ({ turn }) => kept.has(turn?.root));
  };
  // The usable tokens less a tenth, in characters.
  const target = Math.floor((usable / 4) * 0.9) * 4;
  let most = 0;
  while (most < roots.length && sizeOf(keeping(most + 1)) <= target) most++;
  // Of responses that ran at once, one may begin before what the service has read.
  const isInterleaved = entries.some(
    ({ turn }, at) =>
      entries[at - 1]?.turn?.root !== turn?.root && entries.slice(0, at).some((each) => each.turn?.root === turn?.root),
  );
  const allowed = Array.from({ length: most + 1 }, (_, dropped) => promptOfPlan(keeping(most - dropped)).join("\n"));
  const expected = isInterleaved ? allowed : allowed.slice(0, 1);
  assert.ok(expected.includes(lines.join("\n")), `${lines.join("\n")}\nis not\n${expected.join("\nor\n")}`);
}

/** A plan whose history has some entries only. */
function partOf(planned: Planned, isKept: (entry: Entry) => boolean): Planned {
  return { ...planned, view: { ...planned.view, entries: planned.view.entries.filter(isKept) } };
}

/** Whether the response that a plan continues, with its new results, is too long by itself. */
export function isTooLongAlone(planned: Planned, usable: number): boolean {
  return sizeOf(partOf(planned, ({ turn }) => turn?.root === planned.root)) > usable;
}

/** Characters that a response counts towards the window: what a model is sent. */
export function sizeOf(planned: Planned): number {
  const said = saidIn(planned).map((each) => each.said);
  const results = pairResults(said);
  const answers = new Set(results.values());
  const isSent = (each: Said) =>
    each.kind === "call" ? results.has(each) : each.kind !== "result" || answers.has(each);
  return said
    .filter(isSent)
    .reduce((sum, each) => sum + ("text" in each ? each.text.length : each.kind === "call" ? CALL_SIZE : 0), 0);
}

function promptOfPlan(planned: Planned): string[] {
  return promptOf(saidIn(planned));
}

function saidIn({ view, input }: Planned): Pick<Entry, "said" | "turn">[] {
  return [...living(view.entries), ...input.map((said) => ({ said, turn: null }))];
}

function isPartOf(lines: readonly string[], whole: readonly string[]): boolean {
  let met = 0;
  for (const line of whole) if (line === lines[met]) met++;
  return met === lines.length;
}
