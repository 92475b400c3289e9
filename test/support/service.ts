// The whole service in this process: real server, flows and store; a clock, ids and a provider in the test's hands.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_LIMITS, type ServiceLimits } from "../../src/contract/limits.ts";
import { MODEL_GROUPS, type Setting } from "../../src/contract/settings.ts";
import { type CatalogModel, createCatalog } from "../../src/core/catalog.ts";
import { createGateway, type Gateway } from "../../src/flows/gateway.ts";
import { serviceOf } from "../../src/http/operations.ts";
import { createServer, type HttpServer } from "../../src/http/server.ts";
import type { KeyPermission } from "../../src/contract/manage/keys.ts";
import type { ProviderRegistry } from "../../src/ports/provider.ts";
import type { Store } from "../../src/ports/store.ts";
import type { MetricsPage, Telemetry } from "../../src/ports/telemetry.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { createSecrets } from "../../src/system/hashing.ts";
import { createIds } from "../../src/system/ids.ts";
import { jsonSchemas } from "../../src/system/json-schemas.ts";
import { createMetrics } from "../../src/system/metrics/metrics.ts";
import { FakeClock } from "./fake-clock.ts";
import { type Answer, request, type RequestOptions, type Streamed, stream } from "./http-client.ts";
import { ScriptedProvider } from "./scripted-provider.ts";
import { TESTS } from "./actor.ts";
import { modelOf } from "./turns.ts";

/** A model of the tests' catalog: everything supported unless said otherwise. */
export function testModel(id: string, more: Partial<CatalogModel> = {}): CatalogModel {
  return modelOf({ id, provider: "scripted", upstreamModel: id, ...more });
}

export const TEST_MODELS: readonly CatalogModel[] = [
  testModel("test/all"),
  testModel("test/group-a", { settings: new Set<Setting>(MODEL_GROUPS.A) }),
  testModel("test/group-b", { settings: new Set<Setting>(MODEL_GROUPS.B), hasEndUserField: false }),
  testModel("test/group-c", { settings: new Set<Setting>(MODEL_GROUPS.C) }),
  testModel("test/unforced", { forcedToolChoice: false }),
  testModel("test/thinking", { thinking: { budgetTokens: 1024 } }),
  // Usable: 3,000 − 100 − 15 − 2,000 = 885 tokens, 3,540 characters, with max_output_tokens 100.
  testModel("test/small", { contextWindow: 3_000, defaultOutputTokens: 100, maxOutputTokens: 500 }),
];

export interface ServiceSettings {
  readonly limits?: Partial<ServiceLimits>;
  readonly models?: readonly CatalogModel[];
  readonly providers?: ProviderRegistry;
  readonly isOverloaded?: () => boolean;
  /** Wraps the store, for faults. */
  readonly wrapStore?: (store: Store) => Store;
  /** Wraps what hears of requests and turns, for traces. */
  readonly wrapTelemetry?: (telemetry: Telemetry) => Promise<Telemetry>;
}

/** A running service, and the two hands of a test: requests from outside, the world inside. */
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
  store!: Store;
  gateway!: Gateway;
  readonly path: string;
  readonly #folder: string;
  readonly #settings: ServiceSettings;
  #server!: HttpServer;
  #made = 0;

  private constructor(folder: string, settings: ServiceSettings) {
    this.#folder = folder;
    this.path = join(folder, "turngate.db");
    this.#settings = settings;
  }

  static async start(settings: ServiceSettings = {}): Promise<TestService> {
    const service = new TestService(await mkdtemp(join(tmpdir(), "turngate-test-")), settings);
    await service.#open();
    const { organizationId } = await service.newOrganization();
    service.organizationId = organizationId;
    const { secret, keyId } = await service.newKey(organizationId);
    service.key = secret;
    service.keyId = keyId;
    return service;
  }

  readonly secrets = createSecrets("a root secret for tests, longer than 32 characters");

  async #open(): Promise<void> {
    const { clock, logged, secrets } = this;
    const limits = { ...DEFAULT_LIMITS, ...this.#settings.limits };
    const { store: storeTelemetry } = this.metrics;
    const telemetry = (await this.#settings.wrapTelemetry?.(this.metrics.telemetry)) ?? this.metrics.telemetry;
    const opened = await openSqliteStore({ path: this.path, clock, exclusive: true, telemetry: storeTelemetry });
    this.store = this.#settings.wrapStore?.(opened) ?? opened;
    const record = (level: string) => (event: string, fields?: unknown, error?: unknown) => {
      logged.push({ level, event, fields, error });
    };
    const ids = createIds();
    const log = this.metrics.countLines({
      debug: record("debug"),
      info: record("info"),
      warn: record("warn"),
      error: record("error"),
    });
    this.gateway = createGateway({
      store: this.store,
      providers: this.#settings.providers ?? this.provider.registry,
      catalog: createCatalog(this.#settings.models ?? TEST_MODELS),
      clock,
      ids,
      secrets,
      jsonSchemas,
      log,
      load: { isOverloaded: this.#settings.isOverloaded ?? (() => false) },
      telemetry,
      limits,
    });
    await this.gateway.recover();
    this.#server = createServer({ service: serviceOf(this.gateway), limits, clock, ids, log, telemetry, openApi: {} });
    const { port } = await this.#server.listen({ host: "127.0.0.1", port: 0 });
    this.baseUrl = `http://127.0.0.1:${port}`;
  }

  /** An organization that may do everything, unless told otherwise. */
  async newOrganization(more: { plan?: boolean; paymentMethod?: boolean; credits?: bigint } = {}) {
    const { plan = true, paymentMethod = true, credits = 1_000_000n } = more;
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

  /** One request with the first key, unless told otherwise. */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return request(this.baseUrl, method, path, { key: this.key, ...options });
  }

  /** POST /v1/responses, not streaming. */
  create(body: object, options: RequestOptions = {}): Promise<Answer> {
    return this.request("POST", "/v1/responses", { body: { model: "test/all", ...body }, ...options });
  }

  /** POST /v1/responses, streaming; resolves when the stream has ended. */
  stream(body: object, options: RequestOptions = {}): Promise<Streamed> {
    return stream(this.baseUrl, { key: this.key, body: { model: "test/all", stream: true, ...body }, ...options });
  }

  /** What `/metrics` shows. */
  get metricsPage(): MetricsPage {
    const limits = { ...DEFAULT_LIMITS, ...this.#settings.limits };
    return this.metrics.page({ occupancy: this.gateway.occupancy, limits, databasePath: this.path });
  }

  /** Stops as SIGTERM does. */
  async stop(): Promise<void> {
    await this.gateway.drain();
    await this.#server.close();
    await this.store.close();
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
