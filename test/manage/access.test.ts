// Access by role: every route × every role × one's own and another organization, for programs and for people. The table
// is in access-rows.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS } from "../../src/manage/operations.ts";
import { Check } from "typebox/value";
import { ALL, type Place, ROWS } from "./access-rows.ts";
import { TESTS } from "../support/actor.ts";
import { type Identity, managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const needsSignIn = (operation: string): operation is keyof typeof ROWS => operation in ROWS;

const managed = await managedForFile();

/** An organization with everything that rows refer to. */
async function newPlace(): Promise<Place> {
  const { store, service } = managed;
  const id = await managed.newOrganization();
  await managed.newMember(id, "owner");
  const member = await managed.newMember(id, "member");
  const { keyId } = await service.newKey(id);
  await managed.newProgram(id, "member");
  const [token] = await store.listTokens({ organizationId: id });
  const name = { scope: "organization", id: null, period: "month" } as const;
  await store.setBudget({ by: TESTS, organizationId: id, name, limitNano: 1n });
  // A plan needs one.
  await store.updateOrganization({ by: TESTS, organizationId: id, paymentMethod: true });
  return { organization: id, member: member.id, key: keyId, token: token?.id ?? "" };
}

function pathOf(path: string, place: Place): string {
  return path
    .replace(":organization_id", place.organization)
    .replace(":member_id", place.member)
    .replace(":key_id", place.key)
    .replace(":token_id", place.token)
    .replace(":session_id", "ses_nowhere")
    .replace(":response_id", "resp_nowhere")
    .replace(":request_id", "req_nowhere")
    .replace(":id", "resp_nowhere");
}

async function send(operation: keyof typeof ROWS, who: Identity | null, place: Place) {
  const { body } = ROWS[operation];
  const route = OPERATIONS.find(({ name }) => name === operation);
  assert.ok(route !== undefined);
  const sent = typeof body === "function" ? body(place) : body;
  const answer = await managed.ask(
    who,
    route.method,
    pathOf(route.path, place),
    sent === undefined ? {} : { body: sent },
  );
  assert.equal(answer.headers["cache-control"], "no-store", operation);
  if (answer.status === 200) {
    assert.ok(Check(replyShape(operation), answer.json), `${operation} answers ${answer.text}`);
  } else assert.deepEqual(Object.keys(answer.json.error), ["message", "type", "param", "code"]);
  return answer;
}

const CODES: Readonly<Record<number, string>> = {
  400: "invalid_input",
  401: "invalid_api_key",
  403: "access_denied",
  404: "resource_not_found",
};

async function expect(operation: keyof typeof ROWS, who: Identity | null, place: Place, status: number, what: string) {
  const answer = await send(operation, who, place);
  assert.equal(answer.status, status, `${operation}, ${what}: ${answer.text}`);
  if (status !== 200) assert.equal(answer.json.error.code, CODES[status], `${operation}, ${what}`);
}

for (const operation of Object.keys(ROWS) as (keyof typeof ROWS)[]) {
  const { may, about, program = 200, person = 200 } = ROWS[operation];

  test(`${operation}: each role as a token and as a person`, async () => {
    for (const role of ALL) {
      const place = await newPlace();
      const own = role === "operator" ? null : place.organization;
      const asProgram = await managed.newProgram(own, role === "operator" ? null : role);
      await expect(operation, asProgram, place, may.includes(role) ? program : 403, `a program as ${role}`);
      const other = await newPlace();
      const asPerson =
        role === "operator" ? await managed.operatorSession("Ada") : await managed.newPerson(other.organization, role);
      await expect(operation, asPerson, other, may.includes(role) ? person : 403, `a person as ${role}`);
    }
  });

  if (about === "organization") {
    test(`${operation}: another organization is a 404 for every role`, async () => {
      const place = await newPlace();
      const elsewhere = await managed.newOrganization();
      for (const role of ["owner", "admin", "member"] as const) {
        await expect(operation, await managed.newProgram(elsewhere, role), place, 404, `a program as ${role}`);
        await expect(operation, await managed.newPerson(elsewhere, role), place, 404, `a person as ${role}`);
      }
      const nowhere = { ...place, organization: "org_nowhere" };
      await expect(operation, managed.operator, nowhere, 404, "the operator, of an organization that never was");
    });
  }

  test(`${operation}: needs no authentication`, async () => {
    const place = await newPlace();
    await expect(operation, null, place, 401, "nobody");
    await expect(operation, { token: "adm_wrong" }, place, 401, "a wrong token");
    await expect(operation, { cookie: "turngate_session=wrong", csrf: "wrong" }, place, 401, "a wrong session");
  });
}

test("no change is made with a person's cookie alone: the browser says from where it comes", async () => {
  const person = await managed.operatorSession("Ada");
  assert.ok("cookie" in person);
  const place = await newPlace();
  const newest = async () => (await managed.ask(managed.operator, "GET", "/audit?limit=1")).json.data[0].id;
  const earlier = await newest();
  for (const { name: operation, method, path } of OPERATIONS) {
    // A key is no cookie.
    if (method === "GET" || !needsSignIn(operation)) continue;
    const { body } = ROWS[operation];
    const sent = typeof body === "function" ? body(place) : body;
    for (const from of [
      {},
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "none" },
    ]) {
      const headers = { cookie: person.cookie, "content-type": "text/plain", ...from };
      const asked = { headers, ...(sent === undefined ? {} : { body: sent }) };
      const { status, json } = await managed.ask(null, method, pathOf(path, place), asked);
      assert.deepEqual([status, json.error?.code], [403, "access_denied"], `${operation} ${JSON.stringify(from)}`);
    }
  }
  assert.equal(await newest(), earlier);
});

test("a resource of one organization is a 404 under another's path", async () => {
  const [mine, theirs] = [await newPlace(), await newPlace()];
  const owner = await managed.newProgram(mine.organization, "owner");
  const mixed = { ...theirs, organization: mine.organization };
  for (const operation of [
    "setMemberRole",
    "removeMember",
    "createSignInLink",
    "listMemberSessions",
    "endMemberSessions",
  ] as const) {
    await expect(operation, owner, mixed, 404, "a member of another organization");
  }
  for (const operation of ["updateKey", "rotateKey", "revokeKey"] as const) {
    await expect(operation, owner, mixed, 404, "a key of another organization");
    await expect(operation, managed.operator, mixed, 404, "a key of another organization, by the operator");
  }
  await expect("revokeToken", owner, mixed, 404, "a token of another organization");
  await expect("setBudget", owner, mixed, 400, "a budget on a key of another organization");
});
