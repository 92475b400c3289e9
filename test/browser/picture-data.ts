// What the pictures of docs/app.md show: an organization with two weeks of use, the same in every run.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time.ts";
import { FakeClock } from "../support/fake-clock.ts";
import type { AppService } from "./app-service.ts";

/** The time on the pictures. */
export const NOW = Date.UTC(2026, 10, 23, 15, 30);
export const MODELS = ["anthropic/claude-opus-5-5", "google/gemini-3.8-flash", "openai/gpt-6.1-terra"] as const;

/** Responses of each day, today last. */
const DAYS = [3, 5, 4, 0, 1, 6, 7, 5, 8, 4, 1, 2, 9, 6];
/** Minutes before now at which the responses of the last hour began. */
const LAST_HOUR = [52, 47, 33, 21, 14, 9, 4];

/** How long the providers of the models take. */
const PROVIDERS_MS = [840, 420, 610];

/** Time goes on while a provider works, and not otherwise. */
export class PictureClock extends FakeClock {
  constructor() {
    super(NOW - DAYS.length * DAY_MS);
  }

  override after(milliseconds: number, callback: () => void): () => void {
    if (PROVIDERS_MS.includes(milliseconds)) setImmediate(() => void this.advance(milliseconds));
    return super.after(milliseconds, callback);
  }
}

export interface Filled {
  readonly key: string;
  readonly responseId: string;
  /** Of a response that failed. */
  readonly failedId: string;
  /** Of a request that was rejected. */
  readonly requestId: string;
  /** An organization without anything. */
  readonly newOrganizationId: string;
}

/** Fills the service. The clock then shows NOW. */
export async function fill({ ask, create, origin, organizationId }: AppService, clock: FakeClock): Promise<Filled> {
  const of = `/organizations/${organizationId}`;
  await ask("POST", of, { name: "Acme" });
  // Lists are in the order of creation.
  const tick = () => clock.setWall(MINUTE_MS);
  const people = ["ada@acme.example", "grace@acme.example", "linus@acme.example"];
  for (const [index, email] of people.entries()) {
    await ask("POST", `${of}/members`, { email, role: (["owner", "admin", "member"] as const)[index] });
    tick();
  }
  const keys: { id: string; secret: string }[] = [];
  for (const [name, member] of [
    ["chat backend", undefined],
    ["support assistant", people[1]],
    ["nightly evaluation", people[2]],
  ]) {
    const { id, secret } = await ask("POST", `${of}/keys`, { name, ...(member === undefined ? {} : { member }) });
    keys.push({ id, secret });
    tick();
  }
  const secretOf = (index: number) => keys[index % keys.length]?.secret ?? "";
  await ask("POST", `${of}/tokens`, { name: "deployment", role: "admin" });
  await ask("POST", `${of}/budgets`, { scope: "organization", period: "month", limit: 1000 });
  await ask("POST", `${of}/budgets`, { scope: "member", id: people[2], period: "month", limit: 200 });
  await ask("POST", `${of}/budgets`, { scope: "key", id: keys[0]?.id, period: "month", limit: 400 });
  await ask("POST", `${of}/policy`, { tool_calls_per_turn: 25 });
  await ask("POST", `${of}/limits`, { open_streams: 50 });
  await ask("POST", "/organizations", { name: "Example Labs", credits: 500 });
  const { id: newOrganizationId } = await ask("POST", "/organizations", { name: "Initech", credits: 100 });
  const { id: suspended } = await ask("POST", "/organizations", { name: "Umbrella", credits: 20 });
  await ask("POST", `/organizations/${suspended}/suspend`);
  let responseId = "";
  let count = 0;
  /** One response, of which every seventh is none: its provider is overloaded. */
  const use = async (size: number) => {
    const at = count++ % MODELS.length;
    const isFailing = count % 7 === 6;
    const usage = `/usage input=${1800 + 370 * size} output=${200 + 90 * size}`;
    const input = isFailing ? "/fail provider_overloaded" : `${usage}\n/wait ${PROVIDERS_MS[at]}\nHello`;
    const { id } = await create(secretOf(count + Math.floor(count / MODELS.length)), { model: MODELS[at], input });
    if (!isFailing) responseId = id;
  };
  for (const [index, responses] of DAYS.entries()) {
    setTime(clock, NOW - (DAYS.length - 1 - index) * DAY_MS - 3 * HOUR_MS);
    for (let size = 0; size < responses; size++) {
      await use(size);
      clock.setWall(17 * MINUTE_MS);
    }
  }
  await ask("POST", `${of}/keys/${keys[1]?.id}/rotate`, { grace: "7d" });
  for (const [size, minutes] of LAST_HOUR.entries()) {
    setTime(clock, NOW - minutes * MINUTE_MS);
    await use(size);
  }
  setTime(clock, NOW - 3 * MINUTE_MS);
  const failedId = await streamFailed(origin, secretOf(0));
  setTime(clock, NOW - 2 * MINUTE_MS);
  await ask("POST", `${of}/policy`, { deny_models: [MODELS[2]] });
  const requestId = await reject(origin, secretOf(2));
  // It is kept with the next ones, a moment later.
  await clock.advance(10_000);
  await ask("POST", `${of}/policy`, { deny_models: [] });
  setTime(clock, NOW);
  await post(origin, "/manage/api/me/budget-increases", secretOf(2), { scope: "member", period: "month", amount: 50 });
  return { key: secretOf(0), responseId, failedId, requestId, newOrganizationId };
}

/** A response that has begun to stream when its provider fails; its id. */
async function streamFailed(origin: string, key: string): Promise<string> {
  const input = "/say It is\n/fail provider_error";
  const answer = await post(origin, "/v1/responses", key, { model: MODELS[0], input, stream: true });
  const [id = ""] = /\bresp_[0-9a-f]{32}\b/.exec(await answer.text()) ?? [];
  return id;
}

/** A request for a model that the policy denies; its id. */
async function reject(origin: string, key: string): Promise<string> {
  const answer = await post(origin, "/v1/responses", key, { model: MODELS[2], input: "Hello" });
  await answer.text();
  return answer.headers.get("x-request-id") ?? "";
}

function post(origin: string, path: string, key: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });
}

function setTime(clock: FakeClock, nowMs: number): void {
  clock.setWall(nowMs - clock.nowMs());
}
