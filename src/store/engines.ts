// The engines of the store: each is one folder and one line here.
import type { StoreEngine } from "./store-engine.ts";

/** Loads an engine: the libraries of the others stay unloaded. */
export const ENGINES = {
  sqlite: async () => (await import("./sqlite/engine.ts")).sqliteEngine,
  postgres: async () => (await import("./postgres/engine.ts")).postgresEngine,
} as const satisfies Readonly<Record<string, () => Promise<StoreEngine>>>;
