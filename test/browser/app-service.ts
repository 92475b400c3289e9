// The service after a first start, with the app built from its current sources, the simulated models and the real
// clock.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap, createFirstLink } from "../../src/boot/bootstrap.ts";
import { createService } from "../../src/boot/service.ts";
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import { folderOnDisk } from "../../src/installation/folder.ts";
import { type Clock, nowSeconds } from "../../src/ports/clock.ts";
import { HOST_SERVICES } from "../support/host-services.ts";
import { createProviderRegistry } from "../../src/providers/registry.ts";
import { SIMULATED_MODELS } from "../../src/providers/simulated/models.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { createIds, mintAccountId } from "../../src/system/ids.ts";
import { TESTS } from "../support/actor.ts";
import type { Loose } from "../support/http-client.ts";
import { familyOf } from "../support/family-of.ts";
import { configOf, type ServiceSettings } from "../support/service-config.ts";
import { useBuiltThread } from "../support/store-thread.ts";
import { builtApp } from "./built-app.ts";

/** An echo that costs ten credits a thousand tokens of output. */
export const PRICED = "simulated/priced";

export interface AppService {
  /** Of the management server, which serves the app. */
  readonly origin: string;
  /** The base URL of /v1, which has a port of its own. */
  readonly baseUrl: string;
  /** The first key. */
  readonly key: string;
  readonly organizationId: string;
  /** The link that the first start prints. */
  readonly firstLink: string;
  /** A new sign-in link of a member of the first organization, who is added if there is none. */
  linkOf(email: string): Promise<string>;
  /** A new sign-in link of an operator. */
  operatorLink(name: string): Promise<string>;
  /** A request to the management interface as the operator; throws for an error. */
  ask(method: string, path: string, body?: object): Promise<Loose>;
  /** One create, not streaming, by its key. */
  create(key: string, body: object): Promise<Loose>;
  /** Gives the first organization a key, a token, a budget and a turn, so that every screen has something to show; returns the key. */
  fill(name: string): Promise<string>;
  /** The log of the service, as text. */
  logged(): string;
  close(): Promise<void>;
}

export interface AppSettings
  extends Pick<ServiceSettings, "furtherProviders" | "models" | "publicUrl" | "singleSignOn"> {
  /** The real one by default. */
  readonly clock?: Clock;
}

export async function startAppService(settings: AppSettings = {}): Promise<AppService> {
  const folder = await mkdtemp(join(tmpdir(), "turngate-browser-"));
  const { clock = createSystemClock(), models = [...SIMULATED_MODELS, pricedEcho(PRICED)] } = settings;
  const entry = { name: "simulated", family: familyOf("simulated"), baseUrl: null, apiKey: null } as const;
  const providers = await createProviderRegistry([entry], { ...HOST_SERVICES, clock, ids: createIds() });
  const lines: unknown[] = [];
  const record = (event: string, fields?: unknown, error?: unknown) =>
    void lines.push({ event, fields, error: String(error) });
  const log = { debug: record, info: record, warn: record, error: record };
  await useBuiltThread();
  const config = configOf(join(folder, "turngate.db"), { ...settings, models });
  const service = await createService(config, log, {}, { clock, providers, appFolder: folderOnDisk(await builtApp()) });
  const { services, gateway, manageServices, manageServer, server } = service;
  const { store, secrets } = services;
  await gateway.recover();
  const { port } = await manageServer.listen({ host: "127.0.0.1", port: 0 });
  const { port: v1Port } = await server.listen({ host: "127.0.0.1", port: 0 });
  service.listens(v1Port);
  const origin = `http://127.0.0.1:${port}`;
  const key = await bootstrap(store, secrets, { apiKey: null, nowSeconds: nowSeconds(clock) });
  const firstLink = await createFirstLink({ ...manageServices, manageOrigin: origin });
  const [organization] = await store.listOrganizations();
  if (key === null || firstLink === null || organization === undefined) throw new Error("this was no first start");
  const create = async (as: string, body: object): Promise<Loose> => {
    const answer = await fetch(`${origin}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.json();
  };
  const operatorToken = async () => {
    const { secret, lookup, hash } = manageServices.managementSecrets.mintToken();
    const id = mintAccountId("token");
    const limits = { permissions: "all", expiresAt: null } as const;
    const token = { id, organizationId: null, role: null, name: "platform", ...limits, createdAt: 1, revokedAt: null };
    await store.createToken({ by: TESTS, sessionId: null, token, secret: { lookup, hash } });
    return secret;
  };
  const operator = await operatorToken();
  const askAs = async (token: string, method: string, path: string, body?: object): Promise<Loose> => {
    const answer = await fetch(`${origin}/manage/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  };
  const ask = (method: string, path: string, body?: object) => askAs(operator, method, path, body);
  /** The same, of the first organization. */
  const manage = (method: string, path: string, body?: object) =>
    ask(method, `/organizations/${organization.id}${path}`, body);
  return {
    origin,
    baseUrl: manageServices.baseUrl(),
    key,
    firstLink,
    organizationId: organization.id,
    async linkOf(email) {
      const { data } = await manage("GET", "/members");
      const found = data.find((member: Loose) => member.email === email);
      const { id } = found ?? (await manage("POST", "/members", { email, role: "member" }));
      return (await manage("POST", `/members/${id}/sign-in-link`)).url;
    },
    operatorLink: async (name) => (await ask("POST", "/operators/sign-in-link", { name })).url,
    ask,
    create,
    async fill(name) {
      const { secret } = await manage("POST", "/keys", { name });
      const { secret: admin } = await manage("POST", "/tokens", { name, role: "admin" });
      // One of the operator would be a limit to its owners.
      const budget = { scope: "organization", period: "month", limit: 1000 };
      await askAs(admin, "POST", `/organizations/${organization.id}/budgets`, budget);
      await create(secret, { model: PRICED, input: name });
      return secret;
    },
    logged: () => JSON.stringify(lines),
    async close() {
      gateway.runs.stopAll();
      await gateway.drain();
      await Promise.all([manageServer.close(), server.close()]);
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A simulated echo that costs credits. */
export function pricedEcho(id: string): CatalogModel {
  const [echo] = SIMULATED_MODELS;
  if (echo === undefined) throw new Error("there is no simulated model");
  return { ...echo, id, prices: { input: 1, cached_input: 1, cache_write: 1, output: 100 } };
}
