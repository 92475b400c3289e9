// A provider family: one wire API, described by the `family.ts` in its folder. families.ts lists them all.
import type { JsonObject } from "../base/json.ts";
import type { ModelGroup } from "../contract/settings.ts";
import type { CatalogModel } from "../core/models/catalog.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Provider } from "../ports/provider.ts";
import type { RecordedFields } from "./recording/fields.ts";
import type { OpenConnector } from "./wire/connector.ts";
import type { EntryFields, HostDescriptor, Host, KeyCheck } from "./host.ts";
import type { Proxies } from "./wire/proxies.ts";

/** Everything the service knows of a family. Loading the descriptor must stay cheap: the code behind it is imported on demand. */
export interface ProviderFamily {
  /** `type` of its providers in turngate.yaml, and the name of the provider that its environment variable turns on. */
  readonly type: string;
  /** The variables that turn it on and move it; null for a family that only turngate.yaml configures. */
  readonly environment: { readonly apiKey: string; readonly baseUrl: string } | null;
  /** The field that its providers require; null for none. */
  readonly requires: "apiKey" | "baseUrl" | null;
  /** Whether every provider of it bills its customers; a model without prices then gets a warning. */
  readonly isPaid: boolean;
  /** Whether it is turned on when nothing else is configured. Its models cost nothing. */
  readonly isFallback: boolean;
  /** `gen_ai.provider.name` of OpenTelemetry; null when each service behind the wire has its own. */
  readonly genAiName: string | null;
  /** The owner of all its models, by whose name the price list has them; null when its servers have models of many. */
  readonly modelOwner: string | null;
  /** The host of its maker's address, where its maker's prices hold; null for a family without a maker. */
  readonly makerHost: string | null;
  /** The settings its models accept when turngate.yaml names none. */
  readonly group: ModelGroup;
  /**
   * Whether its wire carries settings outside that group; otherwise a model that names such a setting is a
   * configuration error.
   */
  readonly carriesEverySetting: boolean;
  /** Whether its wire takes a thinking budget in tokens; the others take efforts only. */
  readonly hasThinkingBudget: boolean;
  /** Whether its wire has a field for the end user: by default, if turngate.yaml says so, or never. */
  readonly endUserField: "always" | "optional" | "never";
  /** Whether turngate.yaml may set `replay_reasoning` for its models. */
  readonly hasReplayReasoning: boolean;
  /** Whether turngate.yaml may turn the caching of prompts off: only some wires can. */
  readonly hasCachingSwitch: boolean;
  /** Whether turngate.yaml may have its strict tools sent as plain ones: servers in place of its maker do not all take them. */
  readonly hasStrictSwitch: boolean;
  /** The form of a catalog entry's thinking that is sent, for a wire that does not carry every form. By default it is sent as it is. */
  readonly thinkingSent?: (model: CatalogModel) => CatalogModel["thinking"];
  /** The hosts that serve its models besides its maker, by their `type` in turngate.yaml; none when not given. */
  readonly hosts?: Readonly<Record<string, HostDescriptor>>;
  /** Its built-in models; null for none. */
  readonly loadModels: (() => Promise<readonly CatalogModel[]>) | null;
  readonly loadCreateProvider: () => Promise<CreateProvider>;
  /**
   * How its servers list their models at the address of the key check: the query of the request, and which entries are
   * models for text. Null for a family whose servers list none.
   */
  readonly modelList: {
    readonly query: Readonly<Record<string, string>>;
    readonly isChatModel?: (listed: JsonObject) => boolean;
  } | null;
  /** Null for a family without keys and servers. */
  readonly loadCreateKeyCheck: (() => Promise<CreateKeyCheck>) | null;
  /** What `turngate record` keeps of its wire; null for a family without servers. */
  readonly loadRecordedFields: (() => Promise<RecordedFields>) | null;
}

/** The part of a configured provider that its family reads. */
export interface FamilyEntry extends EntryFields {
  /** What its host changes; not given: the models are at their maker. */
  readonly host?: Host;
}

/** The services that a provider uses. */
export interface ProviderServices {
  readonly clock: Clock;
  readonly ids: Ids;
  /** None when not given. */
  readonly proxies?: Proxies;
  /** Opens its connections; a recording and its replay bring their own. */
  readonly connect?: OpenConnector;
}

/** Creates a provider. Throws an Error for the operator when the entry cannot work. */
export type CreateProvider = (entry: FamilyEntry, services: ProviderServices) => Provider;

/** Creates the check of an entry's key. Throws an Error for the operator when the entry cannot work. */
export type CreateKeyCheck = (entry: FamilyEntry) => KeyCheck;
