// The providers as they are configured, in the environment or in turngate.yaml.
import type { ProviderEntry } from "../providers/registry.ts";

/** One configured provider. */
export interface ProviderConfig extends ProviderEntry {
  /** The reason why it is on, for people: a variable or a file. */
  readonly because: string;
  /** Whether the models that its server lists are served. */
  readonly discovers?: boolean;
}
