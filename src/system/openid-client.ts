// Single sign-on by OpenID Connect: the authorization code flow with PKCE, state and nonce. The provider's addresses
// come from its own discovery document, whose issuer is configured. The library is loaded with the first sign-in.
import { HOUR_MS } from "../base/time.ts";
import { bytesOf } from "./bounded-body.ts";
import type { Clock } from "../ports/clock.ts";
import type { OutgoingFetch } from "../ports/outgoing-fetch.ts";
import {
  type KeptSignIn,
  type SignInFailure,
  SingleSignOnError,
  type SingleSignOnProvider,
} from "../ports/single-sign-on.ts";

type Library = typeof import("openid-client");
type Configuration = import("openid-client").Configuration;

/** What is registered at the provider. */
export interface OpenIdClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client, which PKCE alone protects. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
}

/** Time for each answer of the provider with its body, seconds: a person waits. */
const TIMEOUT_SECONDS = 10;
/** Largest answer of the provider, bytes: far more than the largest set of keys. */
const ANSWER_BYTES_MAX = 256 * 1024;
/** How long the discovery document is used. Keys have their own rule: an unknown one is looked up. */
const DISCOVERY_MS = HOUR_MS;
/** By how much the provider's clock may differ, seconds. */
const CLOCK_TOLERANCE_SECONDS = 30;

/**
 * A client of the provider; it connects with the first sign-in. `isComplete` says whether claims need no second look.
 */
export function createOpenIdClient(
  settings: OpenIdClientSettings,
  ports: {
    readonly clock: Pick<Clock, "monotonicMs">;
    readonly fetch: OutgoingFetch;
    readonly isComplete: (claims: Readonly<Record<string, unknown>>) => boolean;
  },
): SingleSignOnProvider {
  let discovered: { readonly configuration: Promise<Configuration>; readonly atMs: number } | null = null;

  /** Concurrent sign-ins share one discovery; a failed one is forgotten. */
  const configure = (library: Library): Promise<Configuration> => {
    const nowMs = ports.clock.monotonicMs();
    if (discovered !== null && nowMs - discovered.atMs < DISCOVERY_MS) return discovered.configuration;
    const configuration = discover(library, settings, ports.fetch);
    const own = (discovered = { configuration, atMs: nowMs });
    configuration.catch(() => {
      if (discovered === own) discovered = null;
    });
    return configuration;
  };

  return {
    begin: (redirectUri) =>
      translate(async (library) => {
        const configuration = await configure(library);
        const kept: KeptSignIn = {
          redirectUri,
          state: library.randomState(),
          nonce: library.randomNonce(),
          codeVerifier: library.randomPKCECodeVerifier(),
        };
        const url = library.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: settings.scopes.join(" "),
          state: kept.state,
          nonce: kept.nonce,
          code_challenge: await library.calculatePKCECodeChallenge(kept.codeVerifier),
          code_challenge_method: "S256",
        });
        return { url: url.href, kept };
      }),
    finish: (query, { redirectUri, state, nonce, codeVerifier }) =>
      translate(async (library) => {
        const returned = new URL(redirectUri);
        returned.search = query;
        // Before the provider is asked anything: a query of another sign-in is the common case.
        if (returned.searchParams.get("state") !== state) {
          throw new SingleSignOnError("expired", "the state is that of another sign-in");
        }
        const configuration = await configure(library);
        const tokens = await library.authorizationCodeGrant(configuration, returned, {
          pkceCodeVerifier: codeVerifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new SingleSignOnError("invalid", "there is no ID token");
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
        if (ports.isComplete(claims) || !hasMore) return claims;
        // Many providers keep the ID token short.
        return { ...(await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
      }),
  };
}

async function discover(library: Library, settings: OpenIdClientSettings, fetch: OutgoingFetch) {
  const { issuer, clientId, clientSecret } = settings;
  const url = new URL(issuer);
  const bounded = async (target: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(target, { ...init, redirect: "manual" });
    const { status, headers } = response;
    const body = await bytesOf(response.body, ANSWER_BYTES_MAX);
    const type = headers.get("content-type");
    const isEmpty = [101, 204, 205, 304].includes(status);
    return new Response(isEmpty ? null : body, { status, headers: type === null ? {} : { "content-type": type } });
  };
  const configuration = await library.discovery(
    url,
    clientId,
    { [library.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    clientSecret === null ? library.None() : authenticateWith(library, clientSecret),
    {
      timeout: TIMEOUT_SECONDS,
      [library.customFetch]: (target, init) => bounded(target, init as RequestInit),
      // The configuration allows http:// on this machine only.
      execute: url.protocol === "http:" ? [library.allowInsecureRequests] : [],
    },
  );
  // Checks the signature of the ID token too, with the provider's published keys.
  library.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** Sends the secret as the provider takes it: in the header, which is the standard's default, or in the body. */
function authenticateWith(library: Library, secret: string): import("openid-client").ClientAuth {
  const [inHeader, inBody] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (server, ...request) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const authenticate = supported.includes("client_secret_basic") ? inHeader : inBody;
    authenticate(server, ...request);
  };
}

/** Runs a step of a sign-in; whatever it throws becomes a SingleSignOnError. */
async function translate<T>(step: (library: Library) => Promise<T>): Promise<T> {
  const library = await import("openid-client");
  try {
    return await step(library);
  } catch (error) {
    if (error instanceof SingleSignOnError) throw error;
    const message = error instanceof Error ? error.message : "unknown";
    throw new SingleSignOnError(classify(library, error), message, { cause: error });
  }
}

function classify(library: Library, error: unknown): SignInFailure {
  if (error instanceof library.AuthorizationResponseError) {
    if (error.error === "temporarily_unavailable" || error.error === "server_error") return "unavailable";
    return error.error === "access_denied" ? "cancelled" : "refused";
  }
  if (error instanceof library.ResponseBodyError) {
    if (error.status >= 500) return "unavailable";
    if (error.error === "invalid_grant") return "expired";
    return error.error === "invalid_client" || error.error === "unauthorized_client" ? "misconfigured" : "refused";
  }
  // An invalid client may be reported by a challenge instead of a body.
  if (error instanceof library.WWWAuthenticateChallengeError) return "misconfigured";
  // Errors of the connection have no code of the library.
  if (!(error instanceof library.ClientError) || error.code === undefined) return "unavailable";
  return UNAVAILABLE_CODES.includes(error.code) ? "unavailable" : "invalid";
}

/** Codes of the library for requests without a usable answer; all others are answers that must not be trusted. */
const UNAVAILABLE_CODES: readonly string[] = [
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
];
