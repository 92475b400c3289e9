// Asks each configured provider with each of its keys whether it replies: for `doctor` and the management interface.
import type { Clock } from "../ports/clock.ts";
import type { KeyFinding, ProviderFinding } from "../ports/provider-check.ts";
import { createKeyCheck, sendKeyCheck, wordsOf } from "./key-checks.ts";
import type { HostServices } from "./host.ts";
import type { ProviderEntry } from "./registry.ts";
import { ERROR_BODY_BYTES_MAX } from "./wire/bounds.ts";
import type { Proxies } from "./wire/proxies.ts";

/** How long a provider may take to reply. */
const TIMEOUT_MS = 5000;
/** Questions that wait for a reply at the same time. */
const QUESTIONS_MAX = 8;

interface AskServices extends HostServices {
  readonly clock: Pick<Clock, "after" | "nowMs" | "monotonicMs">;
  readonly proxies: Proxies;
}

/** A provider with one of its keys. */
interface Question {
  readonly entry: ProviderEntry;
  readonly position: number | null;
}

/** Asks them all, a few at a time, since each one that does not reply takes its whole timeout. */
export async function askProviders(
  entries: readonly ProviderEntry[],
  services: AskServices,
): Promise<readonly ProviderFinding[]> {
  const asked = entries.map((entry) => ({ name: entry.name, type: entry.family.type, questions: questionsOf(entry) }));
  const questions = asked.flatMap((provider) => provider.questions);
  const findings = new Map<Question, KeyFinding>();
  const ask = async (): Promise<void> => {
    for (let question = questions.shift(); question !== undefined; question = questions.shift()) {
      // oxlint-disable-next-line no-await-in-loop -- the next question waits for a free place
      findings.set(question, await answer(question, services));
    }
  };
  await Promise.all(Array.from({ length: QUESTIONS_MAX }, ask));
  return asked.map(({ name, type, questions: own }) => ({
    name,
    type,
    keys: own.flatMap((question) => findings.get(question) ?? []),
  }));
}

function questionsOf({ furtherApiKeys = [], ...entry }: ProviderEntry): readonly Question[] {
  if (entry.apiKey === null) return [{ entry, position: null }];
  return [entry.apiKey, ...furtherApiKeys].map((apiKey, at) => ({ entry: { ...entry, apiKey }, position: at + 1 }));
}

async function answer({ entry, position }: Question, services: AskServices): Promise<KeyFinding> {
  const { clock } = services;
  const startedMs = clock.monotonicMs();
  const found = await reach(entry, services).then(
    (detail) => ({ isOk: true, detail }),
    (error: unknown) => ({ isOk: false, detail: wordsOf(error) }),
  );
  return { position, ...found, durationMs: Math.round(clock.monotonicMs() - startedMs) };
}

/** Resolves with what the provider replies, in words; rejects with an Error for the operator. */
async function reach(entry: ProviderEntry, services: AskServices): Promise<string> {
  const { clock, proxies } = services;
  const check = await createKeyCheck(entry, services);
  if (check === null) return "built in";
  const asked = { clock, proxies, timeoutMs: TIMEOUT_MS, bytesMax: ERROR_BODY_BYTES_MAX };
  const { origin, status, body } = await sendKeyCheck(check, asked);
  const fault = status < 400 ? null : (check.faultOf?.(status, body) ?? null);
  if (fault !== null) throw new Error(`${origin} ${fault} (${status})`);
  if (check.rejectsKey(status, body)) {
    const what = entry.apiKey === null && entry.hostSettings !== undefined ? "credentials" : "key";
    throw new Error(`${origin} rejects the ${what} of ${entry.name} (${status})`);
  }
  if (status >= 500) throw new Error(`${origin} has a server error (${status})`);
  if (status >= 300 && status < 400) {
    throw new Error(`${origin} redirects (${status}), which turns do not follow: configure the target as the base URL`);
  }
  // Some servers have no list of models, but usually the base URL lacks /v1 or repeats it.
  if (status === 404) {
    // Only the end of the path: those of some gateways hold a token.
    const end = check.url.pathname.slice(check.url.pathname.lastIndexOf("/"));
    return `${origin} replies (404): there is no ${end}; if turns fail, check the base URL`;
  }
  const proof =
    entry.apiKey !== null ? ", the key works" : entry.hostSettings !== undefined ? ", the credentials work" : "";
  return `${origin} replies (${status})${status < 300 ? proof : ""}`;
}
