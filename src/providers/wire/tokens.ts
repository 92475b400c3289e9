// Access tokens of a host's credential service: kept while they are valid, and renewed before they expire.
//
//   none ──get──▶ asking ──token──▶ fresh ──REFRESH_BEFORE_MS before its end──▶ asking, the old one still serves
//                    └──error, or no reply in time──▶ none: the next request asks again
//   fresh ──rejected by the provider, and older than ASK_AGAIN_MS──▶ doubted
//   doubted ──get──▶ asking, and if that fails the old one serves: perhaps only this request may not be made
import type { HostServices } from "../host.ts";
import { CONNECT_TIMEOUT_MS, REASON_CHARACTERS_MAX } from "./bounds.ts";
import { hideSecrets } from "./secrets.ts";

/** A token of the credential service, or what it gives in place of one. */
export interface AccessToken<Token = string> {
  readonly token: Token;
  /** Unix milliseconds. */
  readonly expiresMs: number;
}

/** A token is renewed this long before it expires: most live an hour, and clocks differ by seconds. */
const REFRESH_BEFORE_MS = 5 * 60_000;
/** A token is no longer sent this long before it expires: the request has to arrive and to be checked. */
const LAST_USE_BEFORE_MS = 10_000;
/** After a failed renewal a token that is still valid serves this long before the next attempt. One that is rejected serves as long. */
const ASK_AGAIN_MS = 30_000;

/** Where tokens come from. */
export interface TokenSource<Token> {
  /** For messages: what the operator configured. */
  readonly name: string;
  /** Asks the credential service for a token. */
  readonly ask: () => Promise<AccessToken<Token>>;
  /** Never part of a message. */
  readonly secrets: readonly string[];
}

/** The token of a source, while it is valid. */
export interface KeptToken<Token> {
  /**
   * Gives a valid token. Asks once at a time and waits CONNECT_TIMEOUT_MS at most; rejects with an Error for the operator, without
   * secrets.
   */
  get(): Promise<Token>;
  /**
   * Notes that the provider rejected the token that `get` gave at this time (Unix milliseconds). Returns whether the next `get` asks for another one:
   * not if the rejected one is young, since a fault of permissions would otherwise ask for a token with each request.
   */
  discard(givenMs: number): boolean;
}

/** Keeps the token of a source. */
export function keepToken<Token>(
  { name, ask, secrets }: TokenSource<Token>,
  { clock }: Pick<HostServices, "clock">,
): KeptToken<Token> {
  let kept: AccessToken<Token> | null = null;
  let receivedMs = 0;
  let askAgainMs = 0;
  let isDoubted = false;
  let asking: Promise<Token> | null = null;

  async function renew(): Promise<Token> {
    try {
      kept = await within(ask, clock);
      receivedMs = clock.nowMs();
      // One that lives shorter is not asked for with each request.
      askAgainMs = Math.max(kept.expiresMs - REFRESH_BEFORE_MS, receivedMs + ASK_AGAIN_MS);
      return kept.token;
    } catch (error) {
      askAgainMs = clock.nowMs() + ASK_AGAIN_MS;
      // oxlint-disable-next-line preserve-caught-error -- those of the libraries hold requests with secrets, which a log would print
      throw new Error(`${name}: no credentials (${reasonOf(error, secrets)})`);
    } finally {
      asking = null;
      isDoubted = false;
    }
  }

  return {
    async get() {
      const nowMs = clock.nowMs();
      const isValid = kept !== null && nowMs < kept.expiresMs - LAST_USE_BEFORE_MS;
      if (kept !== null && isValid && !isDoubted && nowMs < askAgainMs) return kept.token;
      asking ??= renew();
      if (kept === null || !isValid) return asking;
      const { token } = kept;
      if (isDoubted) return asking.catch(() => token);
      // The old token serves meanwhile; if the renewal fails, the next one is in time.
      void asking.catch(() => {});
      return token;
    },
    discard(givenMs) {
      if (receivedMs > givenMs) return true;
      if (asking === null && clock.nowMs() - receivedMs < ASK_AGAIN_MS) return false;
      isDoubted = true;
      return true;
    },
  };
}

/** The libraries have timeouts of their own, of minutes with their retries. */
async function within<T>(ask: () => Promise<T>, clock: HostServices["clock"]): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = clock.after(CONNECT_TIMEOUT_MS, () =>
    reject(new Error(`no token within ${CONNECT_TIMEOUT_MS / 1000} seconds`)),
  );
  try {
    return await Promise.race([ask(), late]);
  } finally {
    stop();
  }
}

/** The first line of an error's message; those of the libraries list every attempt. */
function reasonOf(error: unknown, secrets: readonly string[]): string {
  const [line = ""] = (error instanceof Error ? error.message : "unknown").trim().split("\n");
  // In place of a path there may be what the file should hold.
  const bare = line.replace(/\b(open|stat|read) '(?!\/).*/, "$1");
  return hideSecrets(bare.slice(0, 2 * REASON_CHARACTERS_MAX), secrets).slice(0, REASON_CHARACTERS_MAX);
}
