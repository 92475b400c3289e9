import assert from "node:assert/strict";
import { test } from "node:test";
import { find, mayBeId, type Searched } from "./found.ts";

const searched: Searched = {
  organizationId: "org_1",
  screens: [{ name: "Keys", kind: "Screen", href: "/organizations/org_1/keys" }],
  keys: [{ id: "key_1", name: "chat backend" }],
  members: [{ id: "mem_1", email: "ada@acme.test" }],
  models: [{ id: "openai/gpt" }],
  organizations: [{ id: "org_2", name: "Example Labs" }],
  ids: [],
  idsOf: null,
};
const hrefs = (text: string, given = searched) => find(text, given).map(({ href }) => href);

test("screens, keys, members, models and organizations are found by name or id", () => {
  const rows = [
    ["", ["/organizations/org_1/keys"]],
    ["KEYS", ["/organizations/org_1/keys"]],
    ["chat", ["/organizations/org_1/turns?key=key_1"]],
    ["key_1", ["/organizations/org_1/turns?key=key_1"]],
    ["ada@", ["/organizations/org_1/turns?member=mem_1"]],
    ["openai/", ["/organizations/org_1/turns?model=openai%2Fgpt"]],
    ["labs", ["/organizations/org_2/overview"]],
    ["nothing of this", []],
  ] as const;
  for (const [text, expected] of rows) assert.deepEqual(hrefs(text), expected, text);
});

test("what the service found by an id comes first, and in place of a guess", () => {
  const response = { kind: "response", id: "resp_1", name: "openai/gpt", state: "failed" } as const;
  const [first, ...more] = find("req_1a", { ...searched, ids: [response] });
  const href = "/organizations/org_1/turns/resp_1";
  assert.deepEqual([first, more], [{ name: "resp_1", kind: "Response, openai/gpt, failed", href }, []]);
  const key = { kind: "key", id: "key_1", name: "chat backend", state: null } as const;
  assert.deepEqual(hrefs("key_1", { ...searched, ids: [key] }), ["/organizations/org_1/turns?key=key_1"]);
});

test("what another organization has leads there, and names it", () => {
  const ids = [{ kind: "response", id: "resp_1", name: "openai/gpt", state: "failed" } as const];
  for (const organizationId of [null, "org_1"]) {
    assert.deepEqual(find("req_1a", { ...searched, organizationId, ids, idsOf: { id: "org_2", name: "Labs" } }), [
      { name: "resp_1", kind: "Response, openai/gpt, failed, in Labs", href: "/organizations/org_2/turns/resp_1" },
    ]);
  }
});

test("only what may be an id is asked for, never a secret", () => {
  for (const id of ["req_0123", "chatcmpl-9a8b", "simulated/echo-1", " resp_0123 "]) assert.ok(mayBeId(id), id);
  for (const text of ["policy", "my key 12", "sk_abcdef123", "adm_abcdef123", "a1"]) assert.ok(!mayBeId(text), text);
});

test("the id of a response leads to its page, of a request to its explanation, and others to their turns", () => {
  assert.deepEqual(hrefs(" resp_1a "), ["/organizations/org_1/turns/resp_1a"]);
  assert.deepEqual(hrefs("req_1a"), ["/organizations/org_1/errors?request=req_1a"]);
  assert.deepEqual(hrefs("conv_1a"), ["/organizations/org_1/turns?conversation=conv_1a"]);
  assert.deepEqual(hrefs("key_of_no_list"), ["/organizations/org_1/turns?key=key_of_no_list"]);
  assert.deepEqual(hrefs("mem_1"), ["/organizations/org_1/turns?member=mem_1"]);
  assert.deepEqual(hrefs("toString_1"), []);
  assert.deepEqual(hrefs("resp_1/../../x"), []);
  assert.deepEqual(hrefs("resp_1a", { ...searched, organizationId: null }), []);
});
