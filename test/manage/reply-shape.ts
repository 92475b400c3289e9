// The shape that an operation's definition promises for its 200 response.
import assert from "node:assert/strict";
import type { TSchema } from "typebox";
import { type DefinedOperation, OPERATIONS } from "../../src/manage/operations.ts";

export function replyShape(operation: DefinedOperation): TSchema {
  const defined = OPERATIONS.find(({ name }) => name === operation);
  assert.ok(defined !== undefined);
  return defined.output.shape;
}
