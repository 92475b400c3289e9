// The environment variables that the configuration reads.
import { readEnvironment } from "../../src/config/environment.ts";
import { FAMILIES } from "../../src/providers/families.ts";

/** Their names, in capitals. */
export function listVariables(): ReadonlySet<string> {
  const names = new Set<string>();
  const recording = new Proxy<Record<string, string>>(
    {},
    {
      get(_, name) {
        names.add(String(name));
        // With its key a family is on; then its other variables are read.
        return String(name).endsWith("_KEY") && !String(name).startsWith("TURNGATE_") ? "key" : undefined;
      },
    },
  );
  readEnvironment(recording, FAMILIES);
  return new Set([...names].map((name) => name.toUpperCase()));
}
