// The part of `oidc-provider` that the tests use: the package has no types of its own.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface GrantContext {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
      readonly provider: { readonly Grant: new (of: { clientId: string; accountId: string }) => Grant };
    };
  }

  export interface Configuration {
    readonly clients: readonly object[];
    readonly jwks: { readonly keys: readonly object[] };
    readonly cookies: { readonly keys: readonly string[] };
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly conformIdTokenClaims: boolean;
    readonly features: { readonly devInteractions: { readonly enabled: boolean } };
    readonly pkce: { readonly required: () => boolean };
    readonly ttl: Readonly<Record<string, number>>;
    readonly interactions: { readonly url: (context: unknown, interaction: { readonly uid: string }) => string };
    readonly findAccount: (context: unknown, id: string) => { accountId: string; claims: () => object };
    readonly loadExistingGrant: (context: GrantContext) => Promise<Grant>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
