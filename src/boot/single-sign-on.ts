// Single sign-on as the configuration describes it.
import type { Config } from "../config/config.ts";
import { hasClaims } from "../core/access/single-sign-on.ts";
import type { SingleSignOn } from "../flows/manage/services.ts";
import type { Clock } from "../ports/clock.ts";
import { createOpenIdClient } from "../system/openid-client.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";

/** Null without single sign-on. Nothing is sent before the first sign-in. */
export function openSingleSignOn(
  { singleSignOn, proxies }: Pick<Config, "singleSignOn" | "proxies">,
  clock: Pick<Clock, "monotonicMs">,
): SingleSignOn | null {
  if (singleSignOn === null) return null;
  const { policy, clientId, clientSecret, scopes } = singleSignOn;
  const { issuer, claims } = policy;
  const provider = createOpenIdClient(
    { issuer, clientId, clientSecret, scopes },
    { clock, fetch: createOutgoingFetch(proxies), isComplete: (found) => hasClaims(found, claims) },
  );
  return { provider, policy };
}
