// The configuration of a running service, which can be read again.

import type { ShownConfiguration } from "../contract/manage/configuration.ts";

/** What a new reading of the configuration changes, in the names of turngate.yaml and of the environment. */
export interface ConfigurationChanges {
  /** Settings that new responses are served by: `providers.NAME`, `models.ID`, … */
  readonly changed: readonly string[];
  /** Settings that stay as they are until a restart. */
  readonly needsRestart: readonly string[];
  /** Settings that are valid but rarely intended, a sentence each. */
  readonly warnings: readonly string[];
}

export interface Configuration {
  /** The settings in force, without their secrets. */
  show(): ShownConfiguration;
  /**
   * Reads the whole configuration again. When all of it is valid, calls `record` with the changes, and then serves new
   * responses by it; running responses keep the model set they began with. Rejects with a ConfigurationError when something
   * is invalid, and with the error of `record`; nothing has changed then. Reloads run one after the other.
   */
  reload(record: (changes: ConfigurationChanges) => Promise<void>): Promise<ConfigurationChanges>;
}

/**
 * The configuration is invalid; the message is for the operator: place, value and what is allowed. It contains no
 * secret.
 */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}
