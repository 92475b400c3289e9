// The provider of single sign-on (OpenID Connect), as the flows use it. docs/decisions/single-sign-on.md

/** A sign-in that has begun. The browser goes to `url`; the rest is kept until it comes back. */
export interface BegunSignIn {
  readonly url: string;
  readonly kept: KeptSignIn;
}

/** What has to be known to finish a sign-in, and must reach nobody else. */
export interface KeptSignIn {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/**
 * Why a sign-in failed at the provider. `unavailable`: it did not answer in time, or with an error of its own;
 * `cancelled`: the person did not consent; `refused`: it refused the request; `expired`: its code is used up or too
 * old; `misconfigured`: it does not accept the client id or its secret; `invalid`: an answer that must not be trusted.
 */
export type SignInFailure = "unavailable" | "cancelled" | "refused" | "expired" | "misconfigured" | "invalid";

export class SingleSignOnError extends Error {
  readonly failure: SignInFailure;

  constructor(failure: SignInFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "SingleSignOnError";
    this.failure = failure;
  }
}

export interface SingleSignOnProvider {
  /** Begins a sign-in that ends at a page of ours. Throws a SingleSignOnError if the provider cannot be reached. */
  begin(redirectUri: string): Promise<BegunSignIn>;
  /**
   * Ends a sign-in with the query with which the provider sent the browser back: exchanges the code and checks the ID
   * token. Returns its claims, with `sub`. Throws a SingleSignOnError.
   */
  finish(query: string, kept: KeptSignIn): Promise<Readonly<Record<string, unknown>>>;
}
