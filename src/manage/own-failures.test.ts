import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrganizationContext } from "./definition/context.ts";
import { readOwnFailures } from "./own-failures.ts";

const response = (createdAt: number) => ({ createdAt, failureCode: "provider_error", model: "acme/small" });

/** A store whose log ends, or goes on at `next`. */
const contextOf = (next: { createdAt: number; responseId: string } | null) =>
  ({
    organization: { id: "org_a" },
    store: {
      listResponses: () => Promise.resolve({ responses: [response(7300), response(7250)], next }),
      listRejections: () => Promise.resolve([]),
    },
  }) as unknown as OrganizationContext;

test("among more failures of others than may be read, the member's are those from a time on", async () => {
  const hours = { from: 2, to: 2 };
  const whole = await readOwnFailures(contextOf(null), "mem_a", hours);
  assert.deepEqual([whole.failures.length, whole.readFrom], [2, null]);
  const part = await readOwnFailures(contextOf({ createdAt: 7249, responseId: "resp_a" }), "mem_a", hours);
  assert.deepEqual([part.failures.length, part.readFrom], [2, 7250]);
});
