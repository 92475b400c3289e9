// turngate record: one real exchange with a provider, written to a fixture without its secrets and its content.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { buildDiscoveredCatalog } from "../discovery.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { trust } from "../../config/extra-certificates.ts";
import type { CatalogModel } from "../../core/models/catalog.ts";
import { chooseModel } from "../../core/models/policy.ts";
import { CREATE_FIELDS, type RecordedFields } from "../../providers/recording/fields.ts";
import { describeModel, type FixtureFile, writeFixture } from "../../providers/recording/fixture.ts";
import { createMask } from "../../providers/recording/mask.ts";
import { maskExchange, maskJsonText } from "../../providers/recording/mask-exchange.ts";
import { createTap, type RawExchange } from "../../providers/recording/tap.ts";
import { type ProviderEntry, withHost } from "../../providers/registry.ts";
import type { TextReader } from "../../providers/wire/utf8.ts";
import { createSystemClock } from "../../system/clock.ts";
import { createIds } from "../../system/ids.ts";
import { openNewFile } from "../../../packages/kit/new-file.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { hostLibraries } from "../libraries.ts";
import { readVersion } from "../version.ts";
import { differenceOf } from "./difference.ts";
import { type PlayedTurn, playTurn } from "./play-turn.ts";
import { openFixture, outcomeOf, replay } from "./replay.ts";

export interface RecordRequest {
  /** A model of the configuration. */
  readonly model: string;
  /** Of a model with targets: which one, by its name; null: the first. */
  readonly target: string | null;
  /** The body of POST /v1/responses. */
  readonly create: Uint8Array;
  readonly file: string;
  /** Whether an earlier file is replaced. */
  readonly mayReplace: boolean;
}

export interface Recorded extends Record<string, unknown> {
  readonly file: string;
  readonly provider: string;
  readonly upstream_model: string;
  /** Of the provider's last response. */
  readonly provider_status: number;
  readonly chunks: number;
  /** Of the response that it became. */
  readonly status: string;
  readonly code: string | null;
  /** Where the replay of the fixture differs from what happened, texts aside; null: nowhere. */
  readonly differs: string | null;
}

/** Calls the provider once and writes the fixture. Throws an OperatorError, or the ApiError of a wrong request. */
export async function record(request: RecordRequest): Promise<Recorded> {
  const { file, create, mayReplace } = request;
  // Before the provider is paid.
  if (!mayReplace && existsSync(file)) throw new OperatorError(`${file} exists already; --force replaces it.`);
  const config = await readConfig();
  trust(config.extraCertificates);
  const model = await findModel(config, request);
  const entry = config.providers.find(({ name }) => name === model.provider);
  const loadFields = entry?.family.loadRecordedFields ?? null;
  if (entry === undefined || loadFields === null)
    throw new OperatorError(`${model.id} runs at no server: there is nothing to record.`);
  const { turn, exchanges } = await runTurn(config, entry, model, create);
  const fixture = await makeFixture({ entry, model, create, turn, exchanges, fields: await loadFields() });
  assertNoSecret(fixture.text, entry, exchanges);
  if (mayReplace) rmSync(file, { force: true });
  writeFileSync(openNewFile(file), fixture.text);
  const { response } = turn;
  return {
    file,
    provider: entry.name,
    upstream_model: model.upstreamModel,
    provider_status: fixture.status,
    chunks: fixture.chunks,
    status: response.status,
    code: response.error?.code ?? null,
    differs: fixture.differs,
  };
}

async function findModel(config: Config, { model: name, target }: RecordRequest): Promise<CatalogModel> {
  const { catalog } = await buildDiscoveredCatalog(config);
  const model = chooseModel(name, catalog, { allowModels: null, denyModels: [], keyModels: null });
  const { targets } = model;
  if (targets === undefined && target === null) return model;
  const found = target === null ? targets?.[0] : targets?.find((one) => one.target === target);
  if (found !== undefined) return found;
  const names = (targets ?? []).map((one) => one.target).join(", ");
  throw new OperatorError(`${model.id} has no target "${target}"${names === "" ? "" : `; it has ${names}`}.`);
}

async function runTurn(config: Config, entry: ProviderEntry, model: CatalogModel, create: Uint8Array) {
  const clock = createSystemClock();
  const ids = createIds();
  const tap = createTap(clock);
  const createProvider = await entry.family.loadCreateProvider();
  const { proxies } = config;
  const hosted = await withHost(entry, { ...hostLibraries(proxies, clock), clock });
  const provider = createProvider(hosted, { clock, ids, proxies, connect: tap.connect });
  try {
    const turn = await playTurn({ create, model, provider, ids, clock });
    const createReader = hosted.host?.createReader ?? null;
    return {
      turn,
      exchanges: createReader === null ? tap.exchanges : tap.exchanges.map((one) => withEvents(one, createReader())),
    };
  } finally {
    await provider.close();
  }
}

/** An exchange whose stream is in the frames of a host, with the events in them: its adapter reads both. */
function withEvents(exchange: RawExchange, reader: TextReader): RawExchange {
  const { response } = exchange;
  if (response === null || response.status >= 300) return exchange;
  const chunks = response.chunks.map(({ ms, bytes }) => ({ ms, bytes: Buffer.from(reader.read(bytes)) }));
  return { ...exchange, response: { ...response, chunks } };
}

interface Material {
  readonly entry: ProviderEntry;
  readonly model: CatalogModel;
  readonly create: Uint8Array;
  readonly turn: PlayedTurn;
  readonly exchanges: readonly RawExchange[];
  readonly fields: RecordedFields;
}

/** The text of the fixture, with what its own replay makes of it as what is expected. */
async function makeFixture({ entry, model, create, turn, exchanges, fields }: Material) {
  const mask = createMask();
  const masked = exchanges.map((exchange) => {
    const { response } = exchange;
    if (response === null) throw new OperatorError(`${entry.name} did not respond: ${turn.response.error?.message}`);
    const encoding = response.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity")
      throw new OperatorError(`${entry.name} compressed its response; that can't be recorded.`);
    return maskExchange(exchange, response, fields, mask);
  });
  const last = masked.at(-1)?.response;
  if (last === undefined) throw new OperatorError(`${entry.name} was not asked: ${turn.response.error?.message}`);
  const parts = {
    turngate: readVersion(),
    family: entry.family.type,
    ...(entry.hostSettings !== undefined && { host: entry.hostSettings.type }),
    model: describeModel(model),
    create: JSON.parse(maskJsonText(Buffer.from(create).toString("utf8"), CREATE_FIELDS, mask)),
    exchanges: masked,
  };
  const write = (expected: FixtureFile["expected"]) => withoutAccounts(writeFixture({ ...parts, expected }));
  const { outcome } = await replay(openFixture("The recording", write({})));
  return {
    text: write(outcome),
    status: last.status,
    chunks: masked.reduce((sum, { response }) => sum + response.chunks.length, 0),
    differs: differenceOf(shapeOf(outcomeOf(turn.response)), shapeOf(outcome)),
  };
}

/** A value with the lengths of its texts in place of them, but for words of the interface. */
function shapeOf(value: unknown, name = ""): unknown {
  if (typeof value === "string") return /^(?:type|status|code|role|phase|reason)$/.test(name) ? value : value.length;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => shapeOf(entry));
  const entries = Object.entries(value).filter(([field]) => field !== "id" && field !== "message");
  return Object.fromEntries(entries.map(([field, inner]) => [field, shapeOf(inner, field)]));
}

/** Without the numbers of accounts in the ARNs of AWS, also where they are percent-encoded. */
function withoutAccounts(text: string): string {
  return text.replace(/(:|%3A)\d{12}(?=:|%3A)/gi, "$1000000000000");
}

/** The headers with which requests prove who sends them. */
const CREDENTIAL_HEADERS = new Set(["authorization", "api-key", "x-amz-security-token", "x-goog-user-project"]);

/** What is kept of ids and models may hold anything. */
function assertNoSecret(
  text: string,
  { apiKey, headers = {}, hostSettings }: ProviderEntry,
  exchanges: readonly RawExchange[],
): void {
  const sent = exchanges.flatMap(({ headers: pairs }) =>
    pairs.filter((_, at) => at % 2 === 1 && CREDENTIAL_HEADERS.has(pairs[at - 1]?.toLowerCase() ?? "")),
  );
  const secrets = [apiKey ?? "", hostSettings?.["client_secret"] ?? "", ...Object.values(headers), ...sent]
    .flatMap((secret) => [secret, secret.replace(/^\S+ /, "")])
    .filter((secret) => secret.length >= SECRET_CHARACTERS_MIN);
  if (secrets.some((secret) => text.includes(secret)))
    throw new OperatorError(
      "The exchange repeats the provider's key or a header where ids stand: nothing was written.",
    );
}

/** Shorter ones stand in any text. */
const SECRET_CHARACTERS_MIN = 8;
