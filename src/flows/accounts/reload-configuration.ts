// Reloads the configuration of this process, by a signal or by the management interface. docs/operations.md (Reload)
import { type Configuration, type ConfigurationChanges, ConfigurationError } from "../../ports/configuration.ts";
import type { Log } from "../../ports/log.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { Store } from "../../ports/store/store.ts";
import type { NodeName } from "../gateway.ts";

interface ReloadServices {
  readonly configuration: Configuration;
  readonly store: Pick<Store, "logReload">;
  readonly log: Log;
  readonly self: Pick<NodeName, "name">;
}

/**
 * Reads the configuration again and serves new responses by it. A change is recorded in the audit log first. Rejects,
 * and changes nothing, with a ConfigurationError when something is invalid, or with the store's error. The log says
 * what happened.
 */
export async function reloadConfiguration(services: ReloadServices, by: Actor): Promise<ConfigurationChanges> {
  const { configuration, store, log } = services;
  try {
    const changes = await configuration.reload(async ({ changed, needsRestart }) => {
      if (changed.length > 0) await store.logReload({ by, node: services.self.name, changed, needsRestart });
    });
    const { changed, needsRestart, warnings } = changes;
    for (const warning of warnings) log.warn("configuration.warning", { warning });
    log.info("configuration.reloaded", { changed: changed.join(", "), needs_restart: needsRestart.join(", ") });
    return changes;
  } catch (error) {
    const reason = error instanceof ConfigurationError ? error.message : null;
    log.error("configuration.reload_failed", { reason }, reason === null ? error : undefined);
    throw error;
  }
}
