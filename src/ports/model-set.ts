// The model set: the models of one reading of the configuration, and the providers that run
// them.
import type { Catalog } from "../core/models/catalog.ts";
import type { ProviderRegistry } from "./provider.ts";

/** A response takes the newest model set when it is planned, and keeps it to its end. */
export interface ModelSet {
  readonly catalog: Catalog;
  readonly providers: ProviderRegistry;
}
