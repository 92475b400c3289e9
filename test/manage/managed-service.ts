// The management server beside a whole service, on its store and clock; people and programs of every role to ask it with.
import { createManageWorld } from "../../src/boot/manage-world.ts";
import { buildManageOpenApi } from "../../src/contract/manage/openapi.ts";
import type { ManageWorld } from "../../src/flows/manage/world.ts";
import { createManageServer, type ManageServer } from "../../src/manage/server.ts";
import type { MemberRole } from "../../src/contract/manage/roles.ts";
import { createIds, mintAccountId } from "../../src/system/ids.ts";
import { TESTS } from "../support/actor.ts";
import { type Answer, request, type RequestOptions } from "../support/http-client.ts";
import { type ServiceSettings, TestService } from "../support/service.ts";

const ROOT_SECRET = "a root secret for tests, longer than 32 characters";
/** The password of everybody who is signed in here. */
export const PASSWORD = "a password of tests";

/** How somebody is known to the server. */
export type Identity = { readonly token: string } | { readonly cookie: string; readonly csrf: string };

export interface ManagedSettings extends ServiceSettings {
  readonly manageUrl?: string | null;
}

export class ManagedService {
  readonly service: TestService;
  readonly world: ManageWorld;
  baseUrl = "";
  /** A token of the operator. */
  operator!: Identity;
  readonly #server: ManageServer;
  /** Hashed once: it takes time by intent. */
  #passwordHash = "";
  #made = 0;

  private constructor(service: TestService, manageUrl: string | null) {
    this.service = service;
    const { world, isDraining } = service.gateway;
    this.world = createManageWorld({ manageUrl, limits: world.limits }, world, ROOT_SECRET);
    this.#server = createManageServer({
      world: this.world,
      isReady: async () => !isDraining(),
      metrics: null,
      ids: createIds(),
      buildOpenApi: buildManageOpenApi,
    });
  }

  static async start({ manageUrl = null, ...settings }: ManagedSettings = {}): Promise<ManagedService> {
    const managed = new ManagedService(await TestService.start(settings), manageUrl);
    const { port } = await managed.#server.listen({ host: "127.0.0.1", port: 0 });
    managed.baseUrl = `http://127.0.0.1:${port}`;
    managed.#passwordHash = await managed.world.passwords.hash(PASSWORD);
    managed.operator = await managed.newProgram(null, null);
    return managed;
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.service.close();
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
  async newProgram(organizationId: string | null, role: MemberRole | null): Promise<Identity> {
    const { secret, lookup, hash } = this.world.managementSecrets.mintToken();
    const id = mintAccountId("token");
    const token = { id, organizationId, role, name: "tests", createdAt: 1, revokedAt: null };
    await this.store.createToken({ by: TESTS, token, secret: { lookup, hash } });
    return { token: secret };
  }

  /** A new member, signed in. */
  async newPerson(organizationId: string, role: MemberRole): Promise<Identity> {
    return this.signedIn(await this.newMember(organizationId, role));
  }

  /** A member's new session; past the sign-in, which is tested by itself. */
  async signedIn(member: { id: string; organizationId: string }): Promise<Identity> {
    const { managementSecrets } = this.world;
    const link = managementSecrets.mintSecret();
    const of = { organizationId: member.organizationId, memberId: member.id };
    await this.store.setSignInLink({ by: TESTS, ...of, hash: link.hash, lifetimeMs: 1000 });
    await this.store.redeemSignInLink({ hash: link.hash, passwordHash: this.#passwordHash });
    const { secret, hash } = managementSecrets.mintSecret();
    const lifetime = { idleMs: 1, absoluteMs: 1 };
    const start = {
      id: mintAccountId("session"),
      memberId: member.id,
      hash,
      expectedHash: this.#passwordHash,
      lifetime,
    };
    if (!(await this.store.startSession(start))) throw new Error("no session");
    return { cookie: `turngate_session=${secret}`, csrf: managementSecrets.csrfTokenOf(secret) };
  }

  /** One request below /manage/api, as somebody or (null) nobody. */
  ask(who: Identity | null, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const headers = { ...identify(who), ...options.headers };
    return request(this.baseUrl, method, `/manage/api${path}`, { ...options, headers });
  }
}

function identify(who: Identity | null): Record<string, string> {
  if (who === null) return {};
  return "token" in who ? { authorization: `Bearer ${who.token}` } : { cookie: who.cookie, "x-csrf-token": who.csrf };
}
