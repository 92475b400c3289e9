import assert from "node:assert/strict";
import { test } from "node:test";
import { MEMBERS } from "./members.ts";
import type { CallOperation } from "./definition/operation.ts";

const { command } = MEMBERS.operations.removeMember;

/** Lists two pages of one member each; keeps its inputs. */
function listing() {
  const inputs: object[] = [];
  const pages = [
    { data: [{ id: "mem_1", email: "ada@acme.test", role: "owner" }], has_more: true },
    { data: [{ id: "mem_2", email: "bob@acme.test", role: "member" }], has_more: false },
  ];
  const call = (async (_, input) => pages[inputs.push(input) - 1]) as CallOperation;
  const complete = (member_id: string) => command?.complete?.({ member_id }, call, "root");
  return { inputs, complete };
}

test("a command finds a member by e-mail address on any page, in any letter case", async () => {
  const { inputs, complete } = listing();
  assert.deepEqual(await complete("Bob@Acme.test"), { member_id: "mem_2" });
  assert.deepEqual(inputs, [{ limit: 1000 }, { limit: 1000, after: "mem_1" }]);
});

test("an address that no member has is a 404, and an id is taken as it is", async () => {
  await assert.rejects(listing().complete("eve@acme.test") ?? Promise.resolve(), { code: "resource_not_found" });
  const { inputs, complete } = listing();
  assert.deepEqual([await complete("mem_2"), inputs], [{ member_id: "mem_2" }, []]);
});
