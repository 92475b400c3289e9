// The whole service in this process, assembled as `boot` does, with a clock and a provider that the test controls.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type AssembledService, createService } from "../../src/boot/service.ts";
import type { Config } from "../../src/config/config.ts";
import type { DatabaseConfig } from "../../src/config/database-url.ts";
import type { KeyPermission } from "../../src/contract/manage/key-options.ts";
import type { Gateway } from "../../src/flows/gateway.ts";
import type { ManageServices } from "../../src/flows/manage/services.ts";
import type { Secrets } from "../../src/ports/secrets.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { MetricsPage } from "../../src/ports/telemetry.ts";
import { createMetrics } from "../../src/system/metrics/metrics.ts";
import { TESTS } from "./actor.ts";
import { newDatabase, openAlone } from "./engine.ts";
import { FakeClock } from "./fake-clock.ts";
import { type Reply, request, type RequestOptions, type Streamed, stream } from "./http-client.ts";
import { ScriptedProvider } from "./scripted-provider.ts";
import { addFailingProviders, addFailingTargets, keepAwake } from "./failing-targets.ts";
import { configOf, type ServiceSettings } from "./service-config.ts";
import { useBuiltThread } from "./store-thread.ts";

/** A running service, with its parts inside for a test to look at. */
export class TestService {
  readonly clock = new FakeClock();
  readonly provider = new ScriptedProvider();
  readonly metrics = createMetrics(this.clock);
  readonly logged: { level: string; event: string; fields: unknown; error: unknown }[] = [];
  /** The first organization's first key. */
  key = "";
  keyId = "";
  organizationId = "";
  baseUrl = "";
  readonly path: string;
  readonly #folder: string;
  readonly #settings: ServiceSettings;
  #assembled!: AssembledService;
  #made = 0;
  /** Whether it is one of several processes on its database. */
  #isNode = false;
  #closeManagement = async (): Promise<void> => {};

  private constructor(folder: string, settings: ServiceSettings) {
    this.#folder = folder;
    this.path = join(folder, "turngate.db");
    this.#settings = addFailingTargets(settings);
  }

  static async start(settings: ServiceSettings = {}): Promise<TestService> {
    const database = settings.database ?? (await newDatabase());
    const folder = await mkdtemp(join(tmpdir(), "turngate-test-"));
    const service = new TestService(folder, database === undefined ? settings : { ...settings, database });
    service.#isNode = settings.database !== undefined;
    await service.#open();
    const { organizationId } = await service.newOrganization();
    service.organizationId = organizationId;
    const { secret, keyId } = await service.newKey(organizationId);
    service.key = secret;
    service.keyId = keyId;
    return service;
  }

  /** Another node on the database of this service, with a clock and a provider of its own. */
  async startNode(settings: ServiceSettings = {}): Promise<TestService> {
    const { database } = this.#settings;
    if (database === undefined) throw new Error("an embedded database has one node");
    const folder = await mkdtemp(join(tmpdir(), "turngate-test-"));
    const node = new TestService(folder, { ...this.#settings, ...settings, database });
    node.#isNode = true;
    await node.#open();
    node.organizationId = this.organizationId;
    node.key = this.key;
    node.keyId = this.keyId;
    return node;
  }

  get database(): DatabaseConfig {
    return configOf(this.path, this.#settings).database;
  }

  get store(): Store {
    return this.#assembled.services.store;
  }

  get gateway(): Gateway {
    return this.#assembled.gateway;
  }

  get manageServices(): ManageServices {
    return this.#assembled.manageServices;
  }

  get secrets(): Secrets {
    return this.#assembled.services.secrets;
  }

  /** The text of `/metrics`. */
  get metricsPage(): MetricsPage {
    return this.#assembled.metricsPage;
  }

  async #open(): Promise<void> {
    const { providers = this.provider.registry, isOverloaded = () => false, ...others } = this.#settings;
    const { reread = async (started: Config) => started, ...parts } = others;
    await useBuiltThread();
    const record = (level: string) => (event: string, fields?: unknown, error?: unknown) => {
      this.logged.push({ level, event, fields, error });
    };
    const log = { debug: record("debug"), info: record("info"), warn: record("warn"), error: record("error") };
    this.#assembled = await createService(
      configOf(this.path, this.#settings),
      log,
      {},
      {
        clock: this.clock,
        metrics: this.metrics,
        // Providers outlive a restart.
        providers: addFailingProviders({ get: (name) => providers.get(name), close: async () => {} }),
        load: { isOverloaded, stop: () => {} },
        readConfig: async () => reread(configOf(this.path, this.#settings)),
        ...(this.#isNode ? {} : { openStore: openAlone }),
        ...parts,
      },
    );
    keepAwake(this.gateway.circuits);
    await this.gateway.recover();
    await this.#assembled.listBusiest();
    const { port } = await this.#assembled.server.listen({ host: "127.0.0.1", port: 0 });
    this.baseUrl = `http://127.0.0.1:${port}`;
  }

  /** An organization that may do everything, unless given otherwise. */
  async newOrganization(more: { plan?: boolean; paymentMethod?: boolean; credits?: bigint } = {}) {
    const { paymentMethod = true, plan = paymentMethod, credits = 1_000_000n } = more;
    const organizationId = `org_${++this.#made}`;
    await this.store.createOrganization({
      by: TESTS,
      id: organizationId,
      name: `Organization ${this.#made}`,
      createdAt: 1,
    });
    await this.store.updateOrganization({ by: TESTS, organizationId, plan, paymentMethod });
    if (credits > 0n) {
      const transactionId = `txn_${this.#made}`;
      await this.store.addCredits({
        by: TESTS,
        transactionId,
        organizationId,
        amountNano: credits * 1_000_000_000n,
        createdAt: 1,
      });
    }
    return { organizationId };
  }

  async newKey(organizationId = this.organizationId, permission: KeyPermission = "all") {
    const { secret, lookup, hash } = this.secrets.mintApiKey();
    const keyId = `key_${++this.#made}`;
    const key = {
      id: keyId,
      organizationId,
      memberId: null,
      name: `key ${keyId}`,
      permission,
      createdAt: 1,
      revokedAt: null,
    };
    await this.store.createKey({ by: TESTS, key, secret: { lookup, hash } });
    return { secret, keyId };
  }

  /** One request with the first key, unless given otherwise. */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    return request(this.baseUrl, method, path, { key: this.key, ...options });
  }

  /** POST /v1/responses, not streaming. */
  create(body: object, options: RequestOptions = {}): Promise<Reply> {
    return this.request("POST", "/v1/responses", { body: { model: "test/all", ...body }, ...options });
  }

  /** POST /v1/responses, streaming; resolves when the stream has ended. */
  stream(body: object, options: RequestOptions = {}): Promise<Streamed> {
    return stream(this.baseUrl, { key: this.key, body: { model: "test/all", stream: true, ...body }, ...options });
  }

  /** Starts the management server, which stops with the service; returns its address. */
  async listenToManagement(): Promise<string> {
    const { manageServer } = this.#assembled;
    this.#closeManagement = () => manageServer.close();
    const { port } = await manageServer.listen({ host: "127.0.0.1", port: 0 });
    return `http://127.0.0.1:${port}`;
  }

  /** Stops as SIGTERM does. */
  async stop(): Promise<void> {
    await this.gateway.drain();
    await Promise.all([this.#assembled.server.close(), this.#closeManagement()]);
    await this.#assembled.close();
  }

  /** Stops and starts again on the same database. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#open();
  }

  async close(): Promise<void> {
    this.gateway.runs.stopAll();
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A service for the tests of one file, closed after them. */
export async function serviceForFile(settings: ServiceSettings = {}): Promise<TestService> {
  const service = await TestService.start(settings);
  after(() => service.close());
  return service;
}

/** A service for the length of a test or suite. */
export async function withService(
  settings: ServiceSettings,
  test: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await TestService.start(settings);
  try {
    await test(service);
  } finally {
    await service.close();
  }
}
