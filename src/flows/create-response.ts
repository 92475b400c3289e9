// POST /v1/responses, the whole story. @spec endpoints/post-responses
import { notFound, Refusal } from "../contract/errors.ts";
import { type CreateRequest, readCreateBody } from "../core/reading/create-body.ts";
import { readJsonBody } from "../core/reading/json-body.ts";
import { draftPlan, type Plan, planTurn } from "../core/turn/plan.ts";
import { nowSeconds } from "../ports/clock.ts";
import type { Claim, Claimed } from "../ports/claims.ts";
import type { Caller } from "../ports/histories.ts";
import type { World } from "../ports/world.ts";
import { type Admitted, admit, openStreamOf, refuseDraining } from "./admission/admit.ts";
import { answerAgain, responseMadeBy } from "./answer-again.ts";
import { checkTwin, findEarlier, readClaim } from "./claims.ts";
import { type FoundHistory, findHistory, readHistory } from "./continue-history.ts";
import type { Exchange, Reply } from "./exchange.ts";
import { planFunds, refuseShortage } from "./spending/funds.ts";
import type { Gateway } from "./gateway.ts";
import { Run } from "./run/run.ts";
import { runTurn } from "./run/run-turn.ts";
import type { Slot } from "./run/slots.ts";
import { streamRun } from "./stream-reply.ts";
import { waitReply } from "./wait-reply.ts";

/** Runs one model turn and answers with its response object, or with the stream of its events. */
export async function createResponse(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const admitted = await admit(gateway, exchange);
  let body: Uint8Array;
  try {
    body = await exchange.readBody();
  } catch (error) {
    throw payingFirst(admitted, error);
  }
  const { reply, responseId } = await gateway.admission.during(() => beginResponse(gateway, exchange, admitted, body));
  exchange.responseId = responseId;
  return reply;
}

/** A turn that has begun, or an earlier one that is answered again: what is left is to reply. */
interface Begun {
  readonly responseId: string;
  readonly reply: Reply | Promise<Reply>;
}

/** Not awaited: nothing is begun by it. */
function again(
  gateway: Gateway,
  admitted: Admitted,
  request: CreateRequest,
  claim: Claim | null,
  earlier: Claimed,
): Begun {
  const { responseId } = responseMadeBy(earlier);
  return { responseId, reply: answerAgain(gateway, admitted, request, claim, earlier) };
}

/** Payment comes before the body: who can't pay hears that first, not what is wrong with the body. */
function payingFirst({ unpaid }: Admitted, error: unknown): unknown {
  return error instanceof Refusal ? (unpaid ?? error) : error;
}

async function beginResponse(
  gateway: Gateway,
  exchange: Exchange,
  admitted: Admitted,
  bytes: Uint8Array,
): Promise<Begun> {
  const { world } = gateway;
  const { caller, unpaid } = admitted;
  const { request, claim, earlier } = await readRequest(world, exchange, caller, bytes).catch((error: unknown) => {
    throw payingFirst(admitted, error);
  });
  if (earlier !== null) return again(gateway, admitted, request, claim, earlier);
  if (unpaid !== null) throw unpaid;
  const history = await findHistory(world, caller, request);
  const plan = await makePlan(gateway, admitted, request, history);
  return begin(gateway, admitted, request, claim, history, plan);
}

/** What is asked for, and what an earlier request with the same key made of it. Refuses 400, 409. */
async function readRequest(world: World, exchange: Exchange, caller: Caller, bytes: Uint8Array) {
  const body = readJsonBody(bytes, "required");
  const claim = readClaim(world, exchange, body);
  const request = readCreateBody(body);
  return { request, claim, earlier: await findEarlier(world, caller, claim) };
}

async function makePlan(
  gateway: Gateway,
  { caller, organization }: Admitted,
  request: CreateRequest,
  history: FoundHistory | null,
): Promise<Plan> {
  const { world } = gateway;
  const { policy } = organization;
  const continued = history === null ? null : history.continued;
  const draft = draftPlan(request, continued, world.catalog, policy);
  const { items: entries, unreadable } = await readHistory(world, history, draft.sizeMax);
  return planTurn({
    request,
    draft,
    history: continued,
    entries,
    unreadable,
    policy,
    id: world.ids.mint("response"),
    createdAt: nowSeconds(world.clock),
    endUserHash: (endUser) => world.secrets.hashEndUser(caller.organizationId, endUser),
    reasoningOf: (model, prompt) => world.providers.get(model.provider).reasoningOf(model, prompt),
    mint: (kind) => world.ids.mint(kind),
  });
}

/** One transaction stores the turn, its claim and its hold; from then on it runs, whoever listens. */
async function begin(
  gateway: Gateway,
  admitted: Admitted,
  request: CreateRequest,
  claim: Claim | null,
  history: FoundHistory | null,
  plan: Plan,
): Promise<Begun> {
  const { world, runs } = gateway;
  const { caller } = admitted;
  const places = takePlaces(gateway, admitted, request);
  const status = places.slot.isQueued ? "queued" : "in_progress";
  const funds = planFunds(world, plan);
  const outcome = await world.store
    .beginTurn({
      caller,
      head: plan.head,
      status,
      placement: history?.placement ?? { kind: "new" },
      streamed: request.stream,
      claim,
      funds: funds === null ? null : { prices: funds.prices, holdNano: funds.holdNano },
    })
    .catch((error: unknown) => {
      places.giveBack();
      throw error;
    });
  if (outcome.kind !== "begun") {
    places.giveBack();
    if (outcome.kind === "claimed") {
      // Another request with the same key began while this one was being planned: this one is its retry.
      return again(gateway, admitted, request, claim, checkTwin(outcome.claimed, caller, claim));
    }
    if (outcome.kind === "refused") throw refuseShortage(outcome.shortage);
    throw history === null ? revokedMeanwhile() : notFound();
  }
  const run = new Run(caller, plan.head, status, !request.stream);
  runs.add(run);
  places.endBeginning();
  // The reader watches before the run begins, so that it misses nothing.
  const reply = request.stream
    ? streamRun(gateway, run, { includeObfuscation: request.includeObfuscation, closeStream: places.closeStream })
    : waitReply(gateway, run);
  const spending = funds === null ? null : { funds, responseLimitNano: outcome.responseLimitNano };
  void runTurn(gateway, run, plan, places.slot, spending);
  return { responseId: plan.head.id, reply };
}

/** What a turn occupies before it begins: a slot or a place in the queue, an open stream, and the drain's patience. */
interface Places {
  readonly slot: Slot;
  closeStream(): void;
  /** The turn has begun: the drain now waits for its run. */
  endBeginning(): void;
  /** The turn did not begin. */
  giveBack(): void;
}

function takePlaces(gateway: Gateway, admitted: Admitted, request: CreateRequest): Places {
  // Asked again: the body may have been long in coming, and a drain that found nothing begun waits for nobody.
  refuseDraining(gateway);
  const closeStream = request.stream ? openStreamOf(gateway, admitted) : () => {};
  const slot = takeSlot(gateway, closeStream);
  const endBeginning = gateway.runs.beginning();
  return {
    slot,
    closeStream,
    endBeginning,
    giveBack() {
      slot.release();
      closeStream();
      endBeginning();
    },
  };
}

function takeSlot(gateway: Gateway, closeStream: () => void): Slot {
  try {
    return gateway.runs.slots.take();
  } catch (error) {
    closeStream();
    throw error;
  }
}

function revokedMeanwhile(): Refusal {
  return new Refusal("invalid_api_key", "The API key is not valid: it was revoked.");
}
