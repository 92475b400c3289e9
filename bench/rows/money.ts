/** P12: the cost of prices and budgets for a stored turn. */
import { type Row, WARM_SECONDS } from "../row.ts";
import { startTurngate, type Turngate } from "../service/turngate.ts";
import { responsesSide, type TurnLoad } from "./turn-side.ts";

const LOAD: TurnLoad = { model: "fake", isStream: false, clients: 256 };
/** A limit that no turn of this row reaches. */
const LIMIT_CREDITS = "900000";

export const money: Row = {
  seconds: 3,
  figures: [
    {
      id: "P12",
      measure: "money and limits: CPU of a stored turn with them ÷ without",
      unit: "µs",
      better: "lower",
      ours: (read) => read("with", "cpu"),
      other: (read) => read("without", "cpu"),
      otherName: "without",
      limit: { firstLanding: 1.3, goal: 1.06 },
    },
    {
      id: "P12",
      measure: "the same, turns/s without ÷ with",
      unit: "/s",
      better: "lower",
      ours: (read) => read("without", "rate"),
      other: (read) => read("with", "rate"),
      otherName: "with",
      limit: { firstLanding: 1.3, goal: 1.06 },
    },
  ],
  start: async (_ids, stage) => {
    const paying = stage.keep(await startTurngate(stage));
    setBudgets(paying);
    const free = stage.keep(await startTurngate({ ...stage, isFree: true }));
    return {
      sides: [
        await responsesSide("with", paying, LOAD, paying.headers),
        await responsesSide("without", free, LOAD, free.headers),
      ],
      warmSeconds: WARM_SECONDS,
      notes: ["P12: with = prices, and a budget of every scope; without = free models and no budget"],
    };
  },
};

/** One budget of every scope: each turn is held and charged against all of them. */
function setBudgets({ command }: Turngate): void {
  const [organization] = records(command("orgs", "list"));
  const org = ["--org", String(organization?.["id"])];
  const [member] = records(command("members", "list", ...org));
  const [key] = records(command("keys", "list", ...org));
  const set = (...words: readonly string[]) =>
    command("budgets", "set", ...org, "--limit", LIMIT_CREDITS, "--scope", ...words);
  set("organization", "--period", "month");
  set("organization-day");
  set("member", "--id", String(member?.["id"]));
  set("key", "--id", String(key?.["id"]), "--period", "day");
  set("response");
}

function records(printed: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(printed)) return printed;
  if (typeof printed === "object" && printed !== null && "data" in printed) return records(printed.data);
  throw new Error("the command printed no list");
}
