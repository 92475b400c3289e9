// The providers as they are configured, in the environment or in turngate.yaml.
import type { ProviderEntry } from "../providers/registry.ts";

/** One configured provider. */
export interface ProviderConfig extends ProviderEntry {
  /** The reason why it is on, for people: a variable or a file. */
  readonly because: string;
  /** Whether the models that its server lists are served. */
  readonly discovers?: boolean;
}

/** The provider that serves a family's built-in models: the first one at the family's maker, not at a host. */
export function providerAtMaker<Provider extends Pick<ProviderConfig, "family" | "hostSettings">>(
  family: ProviderConfig["family"],
  providers: readonly Provider[],
): Provider | undefined {
  return providers.find((provider) => provider.family === family && provider.hostSettings === undefined);
}
