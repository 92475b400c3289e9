// Preloaded into every process of a test (by --require, the only option that reaches worker threads): loads the module
// that MUTANT names with its fault. Nothing on disk changes.
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { applyFault, type Fault } from "./fault.ts";

interface Named extends Fault {
  readonly path: string;
}

const given = process.env["MUTANT"];
if (given !== undefined) {
  const fault = JSON.parse(given) as Named;
  const { href } = pathToFileURL(join(import.meta.dirname, "../..", fault.path));
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (url !== href || loaded.source === undefined || loaded.source === null) return loaded;
      const text =
        typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
      return { ...loaded, source: applyFault(text, fault) };
    },
  });
}
