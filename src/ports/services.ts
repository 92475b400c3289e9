// All ports as one record; the signature of each flow picks those it uses.
import type { ServiceLimits } from "../contract/limits.ts";
import type { Clock } from "./clock.ts";
import type { ContentExport } from "./content-export.ts";
import type { Ids } from "./ids.ts";
import type { JsonSchemas } from "./json-schemas.ts";
import type { Load } from "./load.ts";
import type { Log } from "./log.ts";
import type { ModelSet } from "./model-set.ts";
import type { Secrets } from "./secrets.ts";
import type { NodeStore } from "./store/nodes.ts";
import type { Store } from "./store/store.ts";
import type { Telemetry } from "./telemetry.ts";

export interface Services {
  readonly store: Store;
  /** The processes that share the store; null: this is the only one. */
  readonly nodes: NodeStore | null;
  /** The newest model set: another one after the configuration has been reloaded. */
  readonly modelSet: () => ModelSet;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly jsonSchemas: JsonSchemas;
  readonly log: Log;
  readonly load: Load;
  readonly telemetry: Telemetry;
  /** Null: what responses say is not exported. */
  readonly contentExport: ContentExport | null;
  readonly limits: ServiceLimits;
  /** The metadata key whose values the log of turns keeps; null: none. */
  readonly metadataKey: string | null;
}
