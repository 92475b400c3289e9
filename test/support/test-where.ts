// Tests of features that only some providers or engines have.
import { test } from "node:test";

/** A test that runs where it applies. */
export function testWhere(applies: boolean, name: string, body: () => Promise<void>): void {
  if (applies) test(name, body);
}
