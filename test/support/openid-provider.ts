// A real OpenID provider on this machine, with people of the tests and a sign-in page of one field.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import Provider from "oidc-provider";
import type { SingleSignOnConfig } from "../../src/config/single-sign-on.ts";
import type { SignInPolicy } from "../../src/core/access/single-sign-on.ts";

export const CLIENT_ID = "turngate";
export const CLIENT_SECRET = "a client secret with: special % characters";

/** What the provider says about a person. */
export interface TestPerson {
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly groups?: unknown;
}

export interface OpenIdProvider {
  readonly issuer: string;
  /** The people by their subjects, which are also their logins. */
  readonly people: Map<string, TestPerson>;
  /** Requests so far, as method and path. */
  readonly requests: string[];
  /** Answers a request instead of the provider; true if it has. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Registers the client, which needs the address of the service. Until then every request is a 404. */
  register(origin: string, options?: { readonly hasShortTokens?: boolean; readonly clientSecret?: string }): void;
  /**
   * What a browser does with the URL of a begun sign-in: signs in as that person, or (null) cancels. Returns the query
   * with which the provider sends it back.
   */
  visit(url: string, login: string | null): Promise<string>;
  /** An ID token with these claims, signed by the provider's key or by another. */
  sign(claims: object, key: "own" | "other"): string;
  close(): Promise<void>;
}

/** The configuration of a service whose people sign in there. */
export function singleSignOnAt(
  { issuer }: Pick<OpenIdProvider, "issuer">,
  policy: Partial<SignInPolicy> & Pick<SignInPolicy, "rules">,
  client: Partial<SingleSignOnConfig> = {},
): SingleSignOnConfig {
  return {
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    scopes: ["openid", "email", "groups"],
    ...client,
    policy: {
      name: "Acme login",
      issuer,
      claims: { email: "email", groups: "groups" },
      trustsEmail: false,
      addsMembers: true,
      isOnlyWay: false,
      ...policy,
    },
  };
}

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  let provider: Provider | null = null;
  const server = createServer((request, response) => {
    opened.requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    if (opened.intercept(request, response)) return;
    const isInteraction = request.url?.startsWith("/interaction/") === true;
    if (provider === null) response.writeHead(404).end();
    else if (isInteraction) void signIn(provider, request, response);
    else provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Another name than the service's: the browser must treat the two as different sites.
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, TestPerson>();
  const keys = { own: newKey(), other: newKey() };
  const opened: OpenIdProvider = {
    issuer,
    people,
    requests: [],
    intercept: () => false,
    register(origin, { hasShortTokens = true, clientSecret = CLIENT_SECRET } = {}) {
      provider = createProvider(issuer, people, { origin, hasShortTokens, clientSecret, key: keys.own });
    },
    sign(claims, key) {
      const parts = [{ alg: "RS256", kid: KEY_ID }, claims];
      const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
      return `${signed}.${sign("sha256", Buffer.from(signed), keys[key]).toString("base64url")}`;
    },
    visit: (url, login) => visit(issuer, url, login),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return opened;
}

const KEY_ID = "tests";

function newKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

function createProvider(
  issuer: string,
  people: ReadonlyMap<string, TestPerson>,
  settings: { origin: string; hasShortTokens: boolean; clientSecret: string; key: KeyObject },
): Provider {
  const { origin, hasShortTokens, clientSecret, key } = settings;
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: [`${origin}/sign-in/callback`],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [{ ...key.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: KEY_ID }] },
    cookies: { keys: ["a key for the cookies of tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    conformIdTokenClaims: hasShortTokens,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
    // Nobody is asked for consent: the client is the company's own.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid email groups");
      await grant.save();
      return grant;
    },
  });
}

const PAGE = `<!doctype html><html lang="en"><title>Provider</title><h1>Sign in at the provider</h1>
<form method="post"><label>Login <input name="login"></label>
<button>Continue</button><button name="cancel" value="yes">Cancel</button></form></html>`;

async function signIn(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    return;
  }
  const form = new URLSearchParams(await text(request));
  const result =
    form.get("cancel") === null
      ? { login: { accountId: form.get("login") ?? "" } }
      : { error: "access_denied", error_description: "<b>the person</b> cancelled" };
  await provider.interactionFinished(request, response, result);
}

/** Follows redirects with cookies, and fills in the form, until the browser leaves the provider. */
async function visit(issuer: string, start: string, login: string | null): Promise<string> {
  const cookies = new Map<string, string>();
  const send = async (url: string, init: { method?: string; body?: URLSearchParams } = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    return response;
  };
  let url = start;
  for (let step = 0; step < 10; step++) {
    if (!url.startsWith(issuer)) return new URL(url).search.slice(1);
    const shown = await send(url);
    const form = new URLSearchParams(login === null ? { cancel: "yes" } : { login });
    const response = shown.status === 200 ? await send(url, { method: "POST", body: form }) : shown;
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
  }
  throw new Error("the provider redirects without an end");
}
