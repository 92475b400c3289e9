// The models that a provider's server lists: `GET {base_url}/models`, for `discover: true`.
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import type { Clock } from "../ports/clock.ts";
import type { HostServices } from "./host.ts";
import { createKeyCheck, sendKeyCheck } from "./key-checks.ts";
import type { ProviderEntry } from "./registry.ts";
import { readCount } from "./wire/json-shape.ts";
import type { Proxies } from "./wire/proxies.ts";

/** Longest list, bytes: OpenRouter's of four hundred models has one MiB. */
const BYTES_MAX = 4 * 1024 * 1024;
/** Models that are taken of a list. */
const MODELS_MAX = 1000;

/** A model as its server lists it; null: the server does not say. */
export interface ServerModel {
  readonly name: string;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

interface ListServices extends HostServices {
  readonly clock: Pick<Clock, "after" | "nowMs">;
  readonly proxies: Proxies;
  readonly timeoutMs: number;
}

/** Asks a provider for its models. Rejects with an Error for the operator when there is no list to be had in time. */
export async function listServerModels(entry: ProviderEntry, services: ListServices): Promise<readonly ServerModel[]> {
  const check = await createKeyCheck(entry, services);
  const { modelList } = entry.family;
  if (check === null || modelList === null) throw new Error(`providers of type ${entry.family.type} list no models`);
  for (const [name, value] of Object.entries(modelList.query)) check.url.searchParams.set(name, value);
  const { origin, status, body } = await sendKeyCheck(check, { ...services, bytesMax: BYTES_MAX });
  if (status !== 200) throw new Error(`${origin} lists no models (${status})`);
  const list = readList(parseJson(body));
  if (list === null) throw new Error(`${origin} replies with something else than a list of models, or a longer one`);
  const { isChatModel = () => true } = modelList;
  return list.flatMap((listed) => (isChatModel(listed) ? readModel(listed) : [])).slice(0, MODELS_MAX);
}

/** `data` or `models` of a list; null: there is none. */
function readList(value: unknown): readonly JsonObject[] | null {
  const list = isJsonObject(value) ? (value["data"] ?? value["models"]) : value;
  return Array.isArray(list) ? list.filter(isJsonObject) : null;
}

/** The names that servers have for the context window, and for the most tokens of output. */
const WINDOWS = ["context_length", "max_model_len", "max_input_tokens", "inputTokenLimit"];
const OUTPUTS = ["outputTokenLimit", "max_output_tokens", "max_tokens"];

function readModel(listed: JsonObject): readonly ServerModel[] {
  const id = listed["id"] ?? listed["name"];
  if (typeof id !== "string") return [];
  const first = (names: readonly string[]) =>
    names.map((name) => readCount(listed[name])).find((count) => count !== null && count > 0) ?? null;
  return [{ name: id.replace(/^models\//, ""), contextWindow: first(WINDOWS), maxOutputTokens: first(OUTPUTS) }];
}
