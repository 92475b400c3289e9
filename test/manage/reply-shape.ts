// The shape that the route table promises for the 200 response of an operation.
import assert from "node:assert/strict";
import type { TSchema } from "typebox";
import { MANAGE_SHAPES } from "../../src/contract/manage/resources.ts";
import { MANAGE_ROUTES, type ManageOperation } from "../../src/contract/manage/routes.ts";

export function replyShape(operation: ManageOperation): TSchema {
  const route = MANAGE_ROUTES.find((known) => known.operation === operation);
  assert.ok(route !== undefined);
  return MANAGE_SHAPES[route.response];
}
