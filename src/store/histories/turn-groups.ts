// Groups of turns from several walks through the log, put together and ranked.
import type { TurnGroup, TurnGroups, TurnSums } from "../../ports/store/turn-log.ts";
import type { GroupRow } from "./turn-log-walks.ts";

const NO_TURNS: TurnSums = { turns: 0, failed: 0, inputTokens: 0, outputTokens: 0, chargedNano: 0n };

/** The first `limit` groups of the rows by what they were charged, and the sums of all others, of none and of all. */
export function mergeGroups(rows: readonly GroupRow[], limit: number): Omit<TurnGroups, "readFrom"> {
  const found = new Map<string, TurnGroup>();
  for (const row of rows) {
    const { id, name } = row;
    found.set(id, { id, name, ...add(found.get(id) ?? NO_TURNS, { ...row, chargedNano: BigInt(row.chargedNano) }) });
  }
  const none = add(NO_TURNS, found.get("") ?? NO_TURNS);
  found.delete("");
  const ranked = [...found.values()].sort(byCharge);
  const rest = ranked.slice(limit);
  const others = rest.reduce(add, NO_TURNS);
  return {
    groups: ranked.slice(0, limit),
    others: { ...others, groups: rest.length },
    none,
    total: ranked.reduce(add, none),
  };
}

function add(sums: TurnSums, more: TurnSums): TurnSums {
  return {
    turns: sums.turns + more.turns,
    failed: sums.failed + more.failed,
    inputTokens: sums.inputTokens + more.inputTokens,
    outputTokens: sums.outputTokens + more.outputTokens,
    chargedNano: sums.chargedNano + more.chargedNano,
  };
}

/** Groups that were charged the same, such as those of free models, are in the order of their turns. */
function byCharge(a: TurnGroup, b: TurnGroup): number {
  if (a.chargedNano !== b.chargedNano) return a.chargedNano > b.chargedNano ? -1 : 1;
  return b.turns - a.turns || (a.id < b.id ? -1 : 1);
}
