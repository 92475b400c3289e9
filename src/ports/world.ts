// The world that flows touch, as one bundle; each flow's signature asks for the slice it uses.
import type { ServiceLimits } from "../contract/limits.ts";
import type { Catalog } from "../core/catalog.ts";
import type { Clock } from "./clock.ts";
import type { Ids } from "./ids.ts";
import type { JsonSchemas } from "./json-schemas.ts";
import type { Load } from "./load.ts";
import type { Log } from "./log.ts";
import type { ProviderRegistry } from "./provider.ts";
import type { Secrets } from "./secrets.ts";
import type { Store } from "./store.ts";
import type { Telemetry } from "./telemetry.ts";

export interface World {
  readonly store: Store;
  readonly providers: ProviderRegistry;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly jsonSchemas: JsonSchemas;
  readonly log: Log;
  readonly load: Load;
  readonly telemetry: Telemetry;
  readonly limits: ServiceLimits;
}
