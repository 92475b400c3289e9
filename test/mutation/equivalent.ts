// Faults that change nothing a test could see. They are left out of the sample and of the score.
import { applyFault } from "./fault.ts";
import type { Mutant } from "./mutator.ts";

export interface EquivalentFault {
  readonly path: string;
  /** The lines that the fault changes, as one line. */
  readonly was: string;
  readonly becomes: string;
  /** The line above, where the module has more of these lines. */
  readonly above?: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly EquivalentFault[] = [
  {
    path: "src/core/history/added-items.ts",
    was: 'if (input.type === "item_reference") continue;',
    becomes: "if (false) continue;",
    reason: "For the type checker: references have been rejected before (readAddedItems).",
  },
  {
    path: "src/core/response/prompt-items.ts",
    was: "if (moved.size === 0) return sources;",
    becomes: "if (false) return sources;",
    reason: "A short cut: without a round to move, the loop below makes the same list.",
  },
  {
    path: "src/flows/manage/principal.ts",
    was: "const found = hash === null ? null : await store.findSession({ hash, lifetime: SESSION_LIFETIME });",
    becomes: "const found = false ? null : await store.findSession({ hash, lifetime: SESSION_LIFETIME });",
    reason: "No stored session has the hash null.",
  },
  {
    path: "src/server/v1/sse.ts",
    was: "if (!this.#isFlushScheduled) this.#scheduleFlush();",
    becomes: "if (true) this.#scheduleFlush();",
    reason: "A second flush in the same tick finds nothing to write.",
  },
  {
    path: "src/server/v1/sse.ts",
    was: "if (this.#isOver) return;",
    becomes: "if (this.#isOver) ;",
    above: "#writeQueue(unreadSinceMs: number | null = null, unread = 0): void {",
    reason: "Once a stream is over, what is encoded for it is never flushed.",
  },
  {
    path: "src/store/accounts/audit.ts",
    was: "return values === undefined ? null : JSON.stringify(values);",
    becomes: "return false ? null : JSON.stringify(values);",
    reason: "The text of undefined is undefined, which is stored and hashed like null.",
  },
  {
    path: "src/store/histories/items.ts",
    was: "and output.position > call.position",
    becomes: "and output.position >= call.position",
    reason: "A call and its output have two positions of their thread.",
  },
  {
    path: "src/store/histories/response-begin.ts",
    was: "return { threadId, seenPosition: 0, mayFork: false };",
    becomes: "return { threadId, seenPosition: 0, mayFork: true };",
    reason: "Until its first turn has settled, nobody can name the thread of a branch: nothing overtakes that turn.",
  },
  {
    path: "src/store/histories/threads.ts",
    was: "const all = (yield* selectTotals(tx, segment)) ?? NOTHING;",
    becomes: "const all = (yield* selectTotals(tx, segment));",
    reason: "For the type checker: each position of a thread that can be read has its row.",
  },
];

/** The entry for a mutant of a module with this text; undefined if there is none. */
export function findEquivalent(mutant: Mutant, text: string): EquivalentFault | undefined {
  const { was, becomes, above } = linesOf(mutant, text);
  return EQUIVALENT.find(
    (fault) =>
      fault.path === mutant.path &&
      fault.was === was &&
      fault.becomes === becomes &&
      (fault.above === undefined || fault.above === above),
  );
}

/** The lines that a mutant changes, before and after, each as one line, and the line above. */
export function linesOf(mutant: Mutant, text: string): Required<Pick<EquivalentFault, "was" | "becomes" | "above">> {
  const from = text.lastIndexOf("\n", mutant.start - 1) + 1;
  const after = text.indexOf("\n", mutant.end);
  const lines = text.slice(from, after === -1 ? text.length : after);
  const fault = { ...mutant, start: mutant.start - from, end: mutant.end - from };
  const above =
    text
      .slice(0, Math.max(0, from - 1))
      .split("\n")
      .at(-1) ?? "";
  return { was: asOneLine(lines), becomes: asOneLine(applyFault(lines, fault)), above: asOneLine(above) };
}

function asOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
