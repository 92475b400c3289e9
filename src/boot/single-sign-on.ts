// Single sign-on as the configuration describes it.
import type { Config } from "../config/config.ts";
import { hasClaims } from "../core/access/single-sign-on.ts";
import type { SingleSignOn } from "../flows/manage/services.ts";
import type { Clock } from "../ports/clock.ts";
import { createSystemClock } from "../system/clock.ts";
import { createOpenIdClient } from "../system/openid-client.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";

type Settings = Pick<Config, "singleSignOn" | "proxies">;

/**
 * Null without single sign-on. Nothing is sent before the first sign-in. Its rules are those of the configuration that is
 * in force at a sign-in.
 */
export function openSingleSignOn(inForce: () => Settings, clock: Pick<Clock, "monotonicMs">): SingleSignOn | null {
  const { singleSignOn, proxies } = inForce();
  if (singleSignOn === null) return null;
  const { policy, clientId, clientSecret, scopes } = singleSignOn;
  const { issuer, claims } = policy;
  const provider = createOpenIdClient(
    { issuer, clientId, clientSecret, scopes },
    { clock, fetch: createOutgoingFetch(proxies), isComplete: (found) => hasClaims(found, claims) },
  );
  return {
    provider,
    get policy() {
      return inForce().singleSignOn?.policy ?? policy;
    },
  };
}

/** Whether the provider describes itself as OpenID Connect wants it. Throws an error in words if not. */
export async function reachSingleSignOn(config: Settings): Promise<string> {
  const issuer = config.singleSignOn?.policy.issuer ?? "";
  try {
    await openSingleSignOn(() => config, createSystemClock())?.provider.begin("http://127.0.0.1/");
    return `${issuer} replies`;
  } catch (error) {
    throw new Error(`${issuer} does not reply as an OpenID provider (${innermost(error)})`, { cause: error });
  }
}

/** The message of the first cause: those around it say only that a request failed. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return error.cause instanceof Error ? innermost(error.cause) : error.message;
}
