// Runs one turn at a provider as the service would, without a store: its events, and the response that they lead to.
import type { ResponseEvent } from "../../contract/events.ts";
import { ID_PREFIXES, type IdKind } from "../../contract/ids.ts";
import { DEFAULT_LIMITS } from "../../contract/limits.ts";
import { CreateResponseBody } from "../../contract/requests.ts";
import type { ResponseObject } from "../../contract/resources.ts";
import { type CatalogModel, createCatalog } from "../../core/models/catalog.ts";
import { readCreateBody } from "../../core/reading/create-body.ts";
import { type JsonBody, readInSteps } from "../../core/reading/json-body.ts";
import { draftPlan, openPlan } from "../../core/response/draft.ts";
import { completePlan, type Plan } from "../../core/response/plan.ts";
import { presentEvent, presentResponse } from "../../core/response/present.ts";
import { terminalEvent } from "../../core/response/replay.ts";
import { callOnce } from "../../flows/run/call-provider.ts";
import { Run } from "../../flows/run/run.ts";
import { RunOutput } from "../../flows/run/run-output.ts";
import { RunRecorder } from "../../flows/run/running-response.ts";
import { planSettlement } from "../../flows/run/settlement.ts";
import { type Clock, nowSeconds } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import type { Provider } from "../../ports/provider.ts";
import { jsonSchemas } from "../../system/json-schemas.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";

/** A turn without a history. */
export interface Turn {
  /** The body of a create. */
  readonly create: Uint8Array;
  /** It runs here, whatever the body names. */
  readonly model: CatalogModel;
  readonly provider: Provider;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** What a client would have seen of it. */
export interface PlayedTurn {
  readonly events: readonly ResponseEvent[];
  readonly response: ResponseObject;
}

const NO_RULES = {
  allowModels: null,
  denyModels: [],
  keyModels: null,
  toolCallsPerTurn: null,
  unansweredCalls: "refuse",
} as const;
const NO_HISTORY = { items: [], isWhole: true, laterRounds: new Map(), unreadable: 0 } as const;
const NO_CALLER = { organizationId: "", keyId: "" };
/** In place of the keyed hashes of the key and the end user. */
const NO_HASH = "0".repeat(64);

/** A fault of our own fails the response, and is what a fixture may be for. */
const FAULTS: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (event, _fields, error) => {
    process.stderr.write(`${event}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  },
};

/**
 * Calls the provider once. Throws the ApiError of a create that is wrong, and an OperatorError for one that continues a
 * history.
 */
export async function playTurn(turn: Turn): Promise<PlayedTurn> {
  const { provider, clock, ids } = turn;
  const plan = planTurn(turn);
  const run = new Run({ caller: NO_CALLER, head: plan.head, status: "in_progress", isStreamed: true, isLong: false });
  const recorder = new RunRecorder(clock);
  const running = presentResponse(run.response);
  const events: ResponseEvent[] = [
    { type: "response.created", response: running },
    { type: "response.in_progress", response: running },
  ];
  const output = new RunOutput({
    run,
    plan,
    meter: null,
    reservation: { growTo: () => undefined, keepForReader: () => () => {}, close: () => {} },
    mint: (kind) => ids.mint(kind),
    emit: (event) => events.push(presentEvent(event, plan.head.includesEncryptedContent)),
  });
  const stopDeadline = clock.after(DEFAULT_LIMITS.turn_seconds * 1000, () => run.stop("deadline"));
  const response = { run, plan, provider, output, recorder, targets: null, history: null };
  const failure = await callOnce({ secrets: { hashEndUser: () => NO_HASH }, contentExport: null }, response);
  stopDeadline();
  const { end } = planSettlement({ clock, log: FAULTS, jsonSchemas, limits: DEFAULT_LIMITS }, response, failure);
  const ended = presentResponse({ head: plan.head, status: end.status, end });
  return { events: [...events, terminalEvent(ended)], response: ended };
}

function planTurn({ create, model, provider, ids, clock }: Turn): Plan {
  const request = readCreateBody({ ...readFields(create), model: model.id });
  if (request.previousResponseId !== null || request.conversationId !== null)
    throw new OperatorError("The request continues a history; send its items as input, without previous_response_id.");
  const catalog = createCatalog([model]);
  const draft = draftPlan(openPlan({ request, history: null, policy: NO_RULES }, catalog));
  return completePlan(draft, NO_HISTORY, {
    id: ids.mint("response"),
    createdAt: nowSeconds(clock),
    endUserHash: () => NO_HASH,
    reasoningOf: (of, prompt) => provider.reasoningOf(of, prompt),
    mint: (kind) => ids.mint(kind),
  });
}

function readFields(create: Uint8Array): JsonBody["fields"] {
  const steps = readInSteps(create, "required", CreateResponseBody);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value.fields;
  }
}

/** Ids that are the same in each run: a kind and a number. */
export function countIds(): Ids {
  let last = 0;
  const next = (prefix: string) => `${prefix}${String(++last).padStart(4, "0")}`;
  return {
    mint: ((kind: IdKind) => next(ID_PREFIXES[kind])) as Ids["mint"],
    mintCallId: () => next("call_"),
    mintRequestId: () => next("req_"),
  };
}
