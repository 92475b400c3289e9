// The modules that are mutated and the tests that should notice.
import { globSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** Responses, history, money, access, idempotency, the embedded store, the public server. docs/decisions/tests.md, G-20 */
export const MUTATED = [
  "src/core/response/*.ts",
  "src/core/{access,history,idempotency,money}/*.ts",
  "src/flows/**/*.ts",
  "src/store/{accounts,histories,money}/*.ts",
  "src/server/{v1,shared}/*.ts",
];

/**
 * Without tests of client libraries, provider wires, whole processes and PostgreSQL: they reach the same code at many
 * times the cost.
 */
export const TESTS = [
  "src/{core,flows,server,store,system}/**/*.test.ts",
  "test/{http,laws,manage}/**/*.test.ts",
  "test/store/!(postgres*|both*).test.ts",
];

/** Files below the root that match any of the patterns, in alphabetical order. */
export function findFiles(patterns: readonly string[]): readonly string[] {
  return globSync([...patterns], { cwd: ROOT })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}

/** The modules among them, without tests. */
export function findModules(patterns: readonly string[]): readonly string[] {
  return findFiles(patterns).filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));
}
