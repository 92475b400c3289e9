// A whole service with its management server, with people and programs of every role.
import { after } from "node:test";
import { SESSION_LIFETIME } from "../../src/flows/accounts/session-lifetime.ts";
import type { ManageServices } from "../../src/flows/manage/services.ts";
import type { MemberRole } from "../../src/contract/manage/roles.ts";
import type { AdminToken } from "../../src/ports/store/management.ts";
import { mintAccountId } from "../../src/system/ids.ts";
import { TESTS } from "../support/actor.ts";
import { type Reply, request, type RequestOptions } from "../support/http-client.ts";
import type { ServiceSettings } from "../support/service-config.ts";
import { TestService } from "../support/service.ts";

/** The password of every signed-in person here. */
export const PASSWORD = "a password of tests";

type TokenLimits = Pick<AdminToken, "permissions" | "expiresAt">;

/** The credentials of a principal. */
export type Identity = { readonly token: string } | { readonly cookie: string; readonly csrf: string };

export class ManagedService {
  readonly service: TestService;
  readonly services: ManageServices;
  readonly baseUrl: string;
  /** A token of the operator. */
  operator!: Identity;
  /** Hashed once, since hashing is slow by design. */
  #passwordHash = "";
  #made = 0;

  private constructor(service: TestService, baseUrl: string) {
    this.service = service;
    this.services = service.manageServices;
    this.baseUrl = baseUrl;
  }

  static async start(settings: ServiceSettings = {}): Promise<ManagedService> {
    const service = await TestService.start(settings);
    const managed = new ManagedService(service, await service.listenToManagement());
    managed.#passwordHash = await managed.services.passwords.hash(PASSWORD);
    managed.operator = await managed.newProgram(null, null);
    return managed;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  get store() {
    return this.service.store;
  }

  /** A new organization's id. */
  async newOrganization(): Promise<string> {
    const id = mintAccountId("organization");
    await this.store.createOrganization({ by: TESTS, id, name: `Managed ${++this.#made}`, createdAt: 1 });
    return id;
  }

  /** A new member's id. */
  async newMember(organizationId: string, role: MemberRole, email = `person${++this.#made}@test.test`) {
    const id = mintAccountId("member");
    await this.store.addMember({ by: TESTS, id, organizationId, email, role, createdAt: 1 });
    return { id, organizationId, email, role };
  }

  /** A program with a new token. */
  async newProgram(
    organizationId: string | null,
    role: MemberRole | null,
    limits: TokenLimits = { permissions: "all", expiresAt: null },
  ): Promise<Identity> {
    const { secret, lookup, hash } = this.services.managementSecrets.mintToken();
    const id = mintAccountId("token");
    const token = { id, organizationId, role, name: "tests", ...limits, createdAt: 1, revokedAt: null };
    await this.store.createToken({ by: TESTS, sessionId: null, token, secret: { lookup, hash } });
    return { token: secret };
  }

  /** A new member, signed in. */
  async newPerson(organizationId: string, role: MemberRole): Promise<Identity> {
    return this.signedIn(await this.newMember(organizationId, role));
  }

  /** A member's new session by a link, which sets the password; other sessions of the member end. */
  async signedIn(member: { id: string; organizationId: string }): Promise<Identity> {
    const link = this.services.managementSecrets.mintSecret();
    const of = { organizationId: member.organizationId, memberId: member.id };
    await this.store.setSignInLink({ by: TESTS, ...of, hash: link.hash, lifetimeMs: 1000 });
    return this.#redeem(link.hash, this.#passwordHash);
  }

  /** A new session of an operator of that name, by a link. */
  async operatorSession(name: string): Promise<Identity> {
    const link = this.services.managementSecrets.mintSecret();
    await this.store.setOperatorLink({ by: TESTS, name, hash: link.hash, lifetimeMs: 1000 });
    return this.#redeem(link.hash, null);
  }

  async #redeem(hash: string, passwordHash: string | null): Promise<Identity> {
    const { managementSecrets } = this.services;
    const { secret, hash: sessionHash } = managementSecrets.mintSecret();
    const id = mintAccountId("session");
    const session = { id, hash: sessionHash, lifetime: SESSION_LIFETIME, address: null, userAgent: null };
    const started = await this.store.redeemSignInLink({ hash, passwordHash, session });
    if (started === null) throw new Error("no session");
    return { cookie: `turngate_session=${secret}`, csrf: managementSecrets.csrfTokenOf(secret) };
  }

  /** The secret of a sign-in link that the operator creates. */
  async linkOf(member: { id: string; organizationId: string }): Promise<string> {
    const path = `/organizations/${member.organizationId}/members/${member.id}/sign-in-link`;
    return (await this.ask(this.operator, "POST", path)).json.secret;
  }

  async isSignedIn(who: Identity): Promise<boolean> {
    return (await this.ask(who, "GET", "/session")).status === 200;
  }

  /** One request below /manage/api, with credentials or (null) without. */
  ask(who: Identity | null, method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const headers = { ...identify(who), ...options.headers };
    return request(this.baseUrl, method, `/manage/api${path}`, { ...options, headers });
  }
}

/** The session that a reply started. */
export function sessionOf({ headers, json }: Reply): Identity {
  return { cookie: headers["set-cookie"]?.split(";")[0] ?? "", csrf: json.csrf_token };
}

/** A service with its management server for the tests of one file, closed after them. */
export async function managedForFile(settings: ServiceSettings = {}): Promise<ManagedService> {
  const managed = await ManagedService.start(settings);
  after(() => managed.close());
  return managed;
}

function identify(who: Identity | null): Record<string, string> {
  if (who === null) return {};
  return "token" in who ? { authorization: `Bearer ${who.token}` } : { cookie: who.cookie, "x-csrf-token": who.csrf };
}
