// Tests of what only some providers have: where a wire has no word for a thing, there is nothing to promise.
import { test } from "node:test";

/** A test, where it applies. */
export function testWhere(applies: boolean, name: string, body: () => Promise<void>): void {
  if (applies) test(name, body);
}
