// Configurations read from a file and variables that a test gives.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import type { Variables } from "../../packages/kit/variables.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { familyOf } from "./family-of.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-config-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
/** The configuration file of all tests of a process. */
export const configFile = join(folder, "turngate.yaml");

/** The provider that is on without a file. */
export const SIMULATED = {
  name: "simulated",
  family: familyOf("simulated"),
  apiKey: null,
  baseUrl: null,
  because: "no configuration file",
};

/** Reads the configuration of a file with this text (null: no file) and these variables. */
export function read(source: string | Buffer | null, variables: Variables = {}) {
  if (source === null) return readConfig(variables);
  writeFileSync(configFile, source);
  return readConfig({ TURNGATE_CONFIG: configFile, ...variables });
}

/** The message of an invalid configuration, one line, with FILE for the file's name. */
export async function readWrong(source: string | Buffer | null, variables: Variables = {}): Promise<string> {
  const error = await read(source, variables).then(
    () => assert.fail("the configuration was accepted"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OperatorError, String(error));
  assert.ok(!error.message.includes("\n"), error.message);
  return error.message.replace(configFile, "FILE");
}

/** A test for each file: its name, its text, and the message of its error. */
export function testWrongFiles(files: readonly (readonly [string, string | Buffer, RegExp])[]): void {
  for (const [name, source, expected] of files) {
    test(`a file with ${name} is an error with its line`, async () =>
      assert.match(await readWrong(source, { EMPTY: "" }), expected));
  }
}
