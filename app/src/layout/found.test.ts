import assert from "node:assert/strict";
import { test } from "node:test";
import { find, type Searched } from "./found.ts";

const searched: Searched = {
  organizationId: "org_1",
  screens: [{ name: "Keys", kind: "Screen", href: "/organizations/org_1/keys" }],
  keys: [{ id: "key_1", name: "chat backend" }],
  members: [{ id: "mem_1", email: "ada@acme.test" }],
  models: [{ id: "openai/gpt" }],
  organizations: [{ id: "org_2", name: "Example Labs" }],
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

test("the id of a response leads to its page, of a request to its explanation, and others to their turns", () => {
  assert.deepEqual(hrefs(" resp_1a "), ["/organizations/org_1/turns/resp_1a"]);
  assert.deepEqual(hrefs("req_1a"), ["/organizations/org_1/rejections?request=req_1a"]);
  assert.deepEqual(hrefs("conv_1a"), ["/organizations/org_1/turns?conversation=conv_1a"]);
  assert.deepEqual(hrefs("key_of_no_list"), ["/organizations/org_1/turns?key=key_of_no_list"]);
  assert.deepEqual(hrefs("mem_1"), ["/organizations/org_1/turns?member=mem_1"]);
  assert.deepEqual(hrefs("toString_1"), []);
  assert.deepEqual(hrefs("resp_1/../../x"), []);
  assert.deepEqual(hrefs("resp_1a", { ...searched, organizationId: null }), []);
});
