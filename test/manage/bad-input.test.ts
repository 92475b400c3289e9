// Any input: replies have the envelope and are never a 5xx, and a rejected change leaves no trace.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import { OPERATIONS } from "../../src/manage/operations.ts";
import { managedForFile } from "./managed-service.ts";

let organizationId = "";
const managed = await managedForFile();
organizationId = await managed.newOrganization();

const BODIES: readonly (readonly [string, string | Uint8Array, string | null])[] = [
  ["no JSON", "{", null],
  ["no object", "[]", null],
  ["nothing", "", null],
  ["no UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), null],
  ["an unknown field", '{"email":"a@b.c","role":"member","rolle":1}', "rolle"],
  ["a field of every object", '{"email":"a@b.c","role":"member","__proto__":1}', "__proto__"],
  ["a missing field", '{"email":"a@b.c"}', "role"],
  ["a wrong kind", '{"email":5,"role":"member"}', "email"],
  ["a wrong word", '{"email":"a@b.c","role":"king"}', "role"],
  ["null where it means nothing", '{"email":null,"role":"member"}', "email"],
  ["U+0000", '{"email":"a\\u0000@b.c","role":"member"}', "email"],
  ["no e-mail address", '{"email":"ada","role":"member"}', "email"],
  ["a text without end", JSON.stringify({ email: `${"x".repeat(5000)}@b.c`, role: "member" }), "email"],
];

for (const [what, body, param] of BODIES) {
  test(`a body with ${what} is a 400 that names ${param ?? "no field"}`, async () => {
    const answer = await managed.ask(managed.operator, "POST", `/organizations/${organizationId}/members`, { body });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual([answer.json.error.code, answer.json.error.param], ["invalid_input", param]);
    assert.deepEqual(await managed.store.listMembers({ organizationId }), []);
  });
}

test("a body of more than 64 KiB is a 413 before it has arrived completely", async () => {
  const body = JSON.stringify({ name: "x".repeat(70_000) });
  const { status, json } = await managed.ask(managed.operator, "POST", "/organizations", { body });
  assert.deepEqual([status, json.error.code], [413, "invalid_input"]);
});

test("missing permission is reported before errors in the body", async () => {
  const member = await managed.newProgram(organizationId, "member");
  const path = `/organizations/${organizationId}/members`;
  assert.equal((await managed.ask(null, "POST", path, { body: "{" })).status, 401);
  assert.equal((await managed.ask(member, "POST", path, { body: "{" })).status, 403);
});

test("a change without fields takes neither a query nor a body that says something", async () => {
  const path = `/organizations/${organizationId}`;
  for (const [rest, body, param] of [
    ["/suspend?dry_run=true", undefined, "dry_run"],
    ["/suspend", '{"dry_run":true}', "dry_run"],
    ["/suspend", "{not json", null],
    ["/members?email=a@b.c", '{"email":"a@b.c","role":"member"}', "email"],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const reply = await managed.ask(managed.operator, "POST", path + rest, body === undefined ? {} : { body });
    assert.deepEqual([reply.status, reply.json.error?.param], [400, param], reply.text);
  }
  const organization = (await managed.store.listOrganizations()).find(({ id }) => id === organizationId);
  assert.equal(Boolean(organization?.suspended), false);
  for (const [action, body] of [
    ["suspend", "{}"],
    ["resume", ""],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    assert.equal((await managed.ask(managed.operator, "POST", `${path}/${action}`, { body })).status, 200);
  }
});

test("an e-mail address may have 254 characters", async () => {
  const email = `${"x".repeat(246)}@b.c.de`;
  for (const [address, status] of [
    [email.slice(0, 254), 200],
    [`x${email}x`.slice(0, 256), 400],
  ] as const) {
    const body = { email: address, role: "member" };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const reply = await managed.ask(managed.operator, "POST", `/organizations/${organizationId}/members`, { body });
    assert.equal(reply.status, status, reply.text);
  }
});

test("an unknown, repeated or invalid query parameter is a 400", async () => {
  const path = `/organizations/${organizationId}`;
  for (const [query, param] of [
    ["/audit?limt=5", "limt"],
    ["/budgets?limit=5", "limit"],
    ["?x", "x"],
    ["/audit?limit=5&limit=6", "limit"],
    ["/audit?limit=0", "limit"],
    ["/audit?limit=501", "limit"],
    ["/audit?limit=5.0", "limit"],
    ["/audit?before=x", "before"],
    ["/audit?action=key", "action"],
    ["/audit?action=", "action"],
    ["/audit?actor=", "actor"],
    [`/audit?actor=${"a".repeat(255)}`, "actor"],
    ["/audit?target=", "target"],
    [`/audit?target=${"t".repeat(201)}`, "target"],
    ["/usage?by=week", "by"],
    ["/usage?from=2026-02-30", "from"],
    ["/usage?from=2026-03-01&to=2026-02-01", "from"],
    ["/usage?zone=Europe/Berlin", "from"],
    ["/usage?by=month&from=2026-02-01", "from"],
    ["/usage?from=1970-01-01&to=2026-02-01&zone=Europe/Berlin", "from"],
    ["/usage?zone=Mars/Base", "zone"],
    ["/usage?key=", "key"],
    ["/ledger?kind=hold", "kind"],
    ["/ledger?before=0", "before"],
    ["/ledger?before=99999999999999999", "before"],
    ["/turns?limit=201", "limit"],
    ["/turns?limit=0", "limit"],
    ["/turns?from=-1", "from"],
    ["/turns?from=2026-03-01", "from"],
    ["/turns?from=9&to=8", "from"],
    ["/turns?to=1e99", "to"],
    ["/turns?status=done", "status"],
    ["/turns?failure_code=none", "failure_code"],
    ["/turns?key=", "key"],
    [`/turns?model=${"m".repeat(201)}`, "model"],
    ["/turns?before=resp_1", "before"],
    ["/turns?after=1.conv_1", "after"],
    ["/turns?before=1.resp_1&after=1.resp_1", "after"],
    ["/turn-groups", "by"],
  ] as const) {
    const { status, json } = await managed.ask(managed.operator, "GET", `${path}${query}`);
    assert.deepEqual([status, json.error?.param], [400, param], query);
  }
});

test("an invalid query parameter's message has what was sent and what is allowed", async () => {
  for (const [path, message] of [
    ["/organizations?deleted=yes", 'deleted is "yes"; allowed: true or false.'],
    ["/audit?limit=501", 'limit is "501"; allowed: a whole number from 1 to 500.'],
    ["/audit?target=", 'target is ""; allowed: a non-empty string of at most 200 characters.'],
    ["/audit/verification?head=0", 'head is "0"; allowed: the `head` of an earlier check, to be looked up in the log.'],
    [
      `/organizations/${organizationId}/turn-groups`,
      "by is missing; allowed: one of end_user, label, conversation, model, key, member.",
    ],
  ] as const) {
    const { json } = await managed.ask(managed.operator, "GET", path);
    assert.equal(json.error.message, message);
  }
});

test("unknown paths are a 404", async () => {
  for (const path of ["", "/", "/nothing", "/organizations//members", "/organizations/%zz", "/keys"]) {
    const { status, json } = await managed.ask(managed.operator, "GET", path);
    assert.deepEqual([status, json.error.code], [404, "resource_not_found"], path);
  }
  assert.equal((await managed.ask(managed.operator, "PUT", `/organizations/${organizationId}`)).status, 404);
});

test("parser errors have the envelope too", async () => {
  const { port } = new URL(managed.baseUrl);
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write("NONSENSE\r\n\r\n"));
    let received = "";
    socket.on("data", (chunk) => (received += chunk.toString()));
    socket.on("close", () => resolve(received));
  });
  assert.match(text, /^HTTP\/1\.1 400 /);
  assert.match(text, /"code":"invalid_input"/);
});

test("no body makes any route respond with 5xx", async () => {
  const changing = OPERATIONS.filter(({ method, name }) => method === "POST" && name !== "redeemSignInLink");
  const words = [
    "name",
    "email",
    "role",
    "amount",
    "scope",
    "id",
    "limit",
    "grace",
    "member",
    "permissions",
    "password",
  ];
  const body = fc.dictionary(fc.oneof(fc.constantFrom(...words), fc.string()), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...changing), body, async ({ path }, sent) => {
      const asked = path.replace(":organization_id", organizationId).replace(/:\w+/, "none");
      const { status, text } = await managed.ask(managed.operator, "POST", asked, { body: sent });
      assert.ok(status < 500, text);
    }),
    { numRuns: 400 },
  );
});

test("the reference is served, the document and its page, and the metrics", async () => {
  const get = (path: string) => fetch(`${managed.baseUrl}${path}`);
  const document = (await (await get("/openapi.json")).json()) as { info: { title: string } };
  assert.equal(document.info.title, "Turngate: management");
  assert.match(await (await get("/docs")).text(), /swagger-ui/);
  assert.match(await (await get("/metrics")).text(), /^turngate_turns_running 0$/m);
});
