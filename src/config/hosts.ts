// Checks the providers of turngate.yaml that have a `host`. Loaded when there is one.
import { OperatorError } from "../../packages/kit/operator-error.ts";
import type { Variables } from "../../packages/kit/variables.ts";
import type { OptionalLibraries } from "../installation/libraries.ts";
import { installation } from "../installation/installation.ts";
import { hostOf } from "../providers/registry.ts";
import type { ReadConfigFile } from "./config-file.ts";
import type { ProviderConfig } from "./provider-config.ts";

/**
 * Throws an OperatorError for a host that its family does not have, a key that the host does not have, what the host finds
 * wrong, and for libraries that are not installed, with the line that installs them.
 */
export async function checkHosts(
  file: ReadConfigFile,
  providers: readonly ProviderConfig[],
  variables: Variables,
  openLibraries = installation.openLibraries,
): Promise<void> {
  const libraries = new Set<string>();
  for (const provider of providers) {
    const { name, family, hostSettings } = provider;
    if (hostSettings === undefined) continue;
    const types = Object.keys(family.hosts ?? {});
    if (!types.includes(hostSettings.type)) {
      const allowed = types.length === 0 ? "has none" : `has ${types.join(", ")}`;
      throw file.faultAt(["providers", name, "host"], `is ${hostSettings.type}; the type ${family.type} ${allowed}.`);
    }
    // oxlint-disable-next-line no-await-in-loop -- the first fault is reported
    const hostType = await hostOf(family, hostSettings).load();
    const known = ["type", ...hostType.keys];
    const unknown = Object.keys(hostSettings).find((key) => !known.includes(key));
    if (unknown !== undefined) {
      throw file.faultAt(
        ["providers", name, "host", unknown],
        `is no key of ${hostSettings.type}; allowed: ${known.join(", ")}.`,
      );
    }
    const entry = { ...provider, hostSettings };
    const fault = hostType.findFault(entry, variables);
    if (fault !== null) throw file.faultAt(["providers", name, ...fault.path], `${fault.message}.`);
    for (const library of hostType.librariesOf(entry)) libraries.add(library);
  }
  if (libraries.size === 0) return;
  const installed = await openLibraries();
  const missing = [...libraries].filter((library) => !installed.has(library));
  if (missing.length > 0) throw new OperatorError(describeMissing(missing, [...libraries], installed));
}

/** npm removes what an earlier such line has installed, so the line names all that the configuration needs. */
function describeMissing(missing: readonly string[], needed: readonly string[], installed: OptionalLibraries): string {
  const { peerDependencies } = JSON.parse(installation.root.readText("package.json")) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  const line = installed.installLine(needed.map((name) => `${name}@${peerDependencies[name]}`));
  const verb = missing.length === 1 ? "does" : "do";
  return `the hosts of providers need ${missing.join(" and ")}, which ${verb} not come with the program: ${line}`;
}
