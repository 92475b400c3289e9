// Plans for tests: of a first response, and of one that continues a response.
import { type CatalogModel, createCatalog } from "../../src/core/models/catalog.ts";
import type { HistoryItem } from "../../src/core/history/history-item.ts";
import { readCreateBody } from "../../src/core/reading/create-body.ts";
import { countingMint, headOf, modelOf } from "./responses.ts";
import { draftPlan, openPlan } from "../../src/core/response/draft.ts";
import { type Plan, completePlan } from "../../src/core/response/plan.ts";
import type { ContinuedHistory, PlanPolicy } from "../../src/core/response/planning.ts";
import type { ResponseHead } from "../../src/core/response/response.ts";
import type { HistoryWindow } from "../../src/core/response/window.ts";
import { NO_USAGE } from "../../src/contract/usage.ts";

export const OPEN: PlanPolicy = {
  allowModels: null,
  denyModels: [],
  keyModels: null,
  toolCallsPerTurn: null,
  unansweredCalls: "refuse",
};

const MODELS: readonly CatalogModel[] = [
  modelOf(),
  modelOf({ id: "test/tiny-output", maxOutputTokens: 500, defaultOutputTokens: 300 }),
  modelOf({ id: "test/nobody", hasEndUserField: false }),
  modelOf({ id: "test/thinker", thinking: { effort: "high" } }),
  modelOf({ id: "test/budget", thinking: { budgetTokens: 1024 } }),
  // Usable: 3,000 − 100 − 15 − 2,000 = 885 tokens, 3,540 characters.
  modelOf({ id: "test/small", contextWindow: 3000, defaultOutputTokens: 100 }),
  modelOf({ id: "second/all" }),
];

interface Given {
  readonly history?: ContinuedHistory | null;
  readonly entries?: readonly HistoryItem[];
  readonly unreadable?: number;
  readonly window?: Partial<Pick<HistoryWindow, "isWhole" | "laterRounds">>;
  readonly policy?: PlanPolicy;
}

export function plan(fields: Record<string, unknown>, given: Given = {}): Plan {
  const { history = null, entries = [], unreadable = 0, window = {}, policy = OPEN } = given;
  const request = readCreateBody({ input: "Hi", ...fields });
  const draft = draftPlan(openPlan({ request, history, policy }, createCatalog(MODELS)));
  return completePlan(
    draft,
    { items: entries, isWhole: true, laterRounds: new Map(), ...window, unreadable },
    {
      id: "resp_new",
      createdAt: 1_700_000_009,
      endUserHash: (endUser) => `hash of ${endUser}`,
      reasoningOf: ({ thinking }, { toolChoice }) =>
        thinking === "none" ? null : { effort: toolChoice === "required" ? "none" : "high", summary: "auto" },
      mint: countingMint(),
    },
  );
}

type Latest = NonNullable<ContinuedHistory["latest"]>;

export const latestOf = (head: Partial<ResponseHead> = {}, more: Partial<Latest> = {}): Latest => ({
  head: headOf(head),
  status: "completed",
  hasEntered: true,
  usage: NO_USAGE,
  promptCharacters: null,
  waitingCalls: [],
  answeredBy: null,
  firstRound: head.turnId ?? "resp_1",
  requiresOutputs: true,
  states: [],
  statesSize: 0,
  unreadableStates: 0,
  ...more,
});

export const continued = (latest: Latest | null, more: Partial<ContinuedHistory> = {}): ContinuedHistory => ({
  size: 0,
  turns: 1,
  latest,
  carried: latest?.head ?? null,
  others: [],
  settledCalls: [],
  ambiguousCalls: [],
  answeredCallIds: new Set(),
  heldItemIds: new Set(),
  ...more,
});

export const first = (fields: Record<string, unknown>, given?: Given) => plan({ model: "test/all", ...fields }, given);

export const later = (fields: Record<string, unknown>, latest: Latest, given: Given = {}) =>
  plan({ previous_response_id: latest.head.id, ...fields }, { history: continued(latest), ...given });

export const output = (callId: string, text = "42") => ({
  type: "function_call_output",
  call_id: callId,
  output: text,
});

export const tool = { type: "function", name: "add", description: null, parameters: null, strict: null };

export const warningCodes = ({ head }: Plan) => head.warnings.map((warning) => warning.code);
