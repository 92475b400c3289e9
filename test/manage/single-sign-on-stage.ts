// A service with single sign-on at a real OpenID provider, for the tests of a file.
import assert from "node:assert/strict";
import { after, beforeEach } from "node:test";
import type { SingleSignOnConfig } from "../../src/config/single-sign-on.ts";
import type { SignInPolicy, SignInRule } from "../../src/core/access/single-sign-on.ts";
import type { Reply } from "../support/http-client.ts";
import { singleSignOnAt, startOpenIdProvider } from "../support/openid-provider.ts";
import { type Identity, ManagedService } from "./managed-service.ts";

const RULES: readonly SignInRule[] = [
  { role: "operator", group: "platform" },
  { role: "owner", group: "acme-owners", organization: "Managed 1" },
  { role: "admin", group: "acme-admins", organization: "Managed 1" },
  { role: "owner", group: "other-owners", organization: "Managed 2" },
  { role: "admin", group: "other-admins", organization: "Managed 2" },
  { role: "member", group: "other", organization: "Managed 2" },
  { role: "member", group: "acme", organization: "Managed 1" },
  { role: "member", group: "lost", organization: "Nowhere" },
];

interface Begun {
  readonly url: string;
  readonly cookie: string;
}

/** A service and its provider for the tests of a file, and the steps of a sign-in. */
export async function startSingleSignOn() {
  const provider = await startOpenIdProvider();

  const configOf = (policy: Partial<SignInPolicy> = {}, client: Partial<SingleSignOnConfig> = {}) =>
    singleSignOnAt(provider, { rules: RULES, ...policy }, client);

  /** A service with the two organizations that the rules name. */
  async function startService(policy: Partial<SignInPolicy> = {}, client: Partial<SingleSignOnConfig> = {}) {
    const service = await ManagedService.start({ singleSignOn: configOf(policy, client) });
    return {
      managed: service,
      organizationId: await service.newOrganization(),
      otherId: await service.newOrganization(),
    };
  }

  const { managed, organizationId, otherId } = await startService();
  provider.register(managed.baseUrl);
  after(async () => {
    await managed.close();
    await provider.close();
  });
  beforeEach(async () => {
    provider.intercept = () => false;
    // Sign-ins are allowed again.
    await managed.service.clock.advance(60_000);
  });

  async function begin(body: object = {}, service = managed): Promise<Begun> {
    const { status, json, text, headers } = await service.ask(null, "POST", "/single-sign-on", { body });
    assert.equal(status, 200, text);
    return { url: json.url, cookie: headers["set-cookie"]?.split(";")[0] ?? "" };
  }

  function finish(query: string, cookie: string, service = managed): Promise<Reply> {
    return service.ask(null, "POST", "/single-sign-on/finish", { body: { query }, headers: { cookie } });
  }

  /** A whole sign-in; null: the person cancels at the provider. */
  async function signIn(login: string | null, body: object = {}, service = managed): Promise<Reply> {
    const { url, cookie } = await begin(body, service);
    return finish(await provider.visit(url, login), cookie, service);
  }

  function person(login: string, groups: unknown, more: object = {}): string {
    provider.people.set(login, { email: `${login}@acme.test`, email_verified: true, groups, ...more });
    return login;
  }

  async function isSignedIn(who: Identity): Promise<boolean> {
    return (await managed.ask(who, "GET", "/session")).status === 200;
  }

  return { provider, managed, organizationId, otherId, startService, begin, finish, signIn, person, isSignedIn };
}

/** The session of a reply, whose cookies come as one text. */
export function sessionOf({ headers, json }: Reply): Identity {
  return { cookie: /turngate_session=[^;]+/.exec(headers["set-cookie"] ?? "")?.[0] ?? "", csrf: json.csrf_token };
}

/** Checks a rejection: its status, that it names no internals, and that nobody is signed in. */
export function assertRejected({ status, json, headers, text }: Reply, expected: number, words: RegExp): void {
  assert.equal(status, expected, text);
  assert.match(json.error.message, words);
  assert.doesNotMatch(text, /localhost|ECONN|OAUTH|secret with|invalid_grant|<b>/);
  assert.equal(headers["set-cookie"], undefined);
}
