// The shape that the route table promises for the 200 response of an operation.
import assert from "node:assert/strict";
import type { TSchema } from "typebox";
import { type DefinedOperation, OPERATIONS } from "../../src/manage/operations.ts";
import { MANAGE_SHAPES } from "../../src/contract/manage/resources.ts";
import { MANAGE_ROUTES, type ManageOperation } from "../../src/contract/manage/routes.ts";

export function replyShape(operation: ManageOperation | DefinedOperation): TSchema {
  const defined = OPERATIONS.find((known) => known.operation === operation);
  if (defined !== undefined) return defined.shape;
  const route = MANAGE_ROUTES.find((known) => known.operation === operation);
  assert.ok(route !== undefined);
  return MANAGE_SHAPES[route.response];
}
