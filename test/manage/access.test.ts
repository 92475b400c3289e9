// Access by role: every route × every role × one's own and another organization, for programs and for people. The table
// below is written by hand from the specification (Authentication) and issue 4, not taken from the code.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type DefinedOperation, OPERATIONS } from "../../src/manage/operations.ts";
import type { MemberRole } from "../../src/contract/manage/roles.ts";
import { mintAccountId } from "../../src/system/ids.ts";
import { Check } from "typebox/value";
import { TESTS } from "../support/actor.ts";
import { type Identity, managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

type Role = "operator" | MemberRole;
const ALL: readonly Role[] = ["operator", "owner", "admin", "member"];
const MANAGERS: readonly Role[] = ["operator", "owner", "admin"];
const OWNERS: readonly Role[] = ["operator", "owner"];
const OPERATOR: readonly Role[] = ["operator"];

/** The parts of a row's request. */
interface Place {
  readonly organization: string;
  readonly member: string;
  readonly key: string;
  readonly token: string;
}

interface Row {
  readonly may: readonly Role[];
  readonly about: "organization" | "platform" | "self";
  readonly body?: object | ((place: Place) => object);
  /** The reply to a program where a session is needed. */
  readonly program?: number;
  /** The reply to a person where a password is checked. */
  readonly person?: number;
}

const organization = (may: readonly Role[], body?: Row["body"]): Row => ({
  may,
  about: "organization",
  ...(body === undefined ? {} : { body }),
});
const platform = (body?: object): Row => ({
  may: OPERATOR,
  about: "platform",
  ...(body === undefined ? {} : { body }),
});

const ROUTES = OPERATIONS;

const NAME = () => ({ name: `Named ${mintAccountId("organization")}` });

type PublicOperation = "signIn" | "redeemSignInLink" | "showSignIn" | "beginSingleSignOn" | "finishSingleSignOn";
/** key-holder.test.ts has them. */
type KeyOperation = "showKeyHolder" | "requestIncrease";

/** Every route that requires a sign-in; a missing one fails to compile. */
const ROWS: Readonly<Record<Exclude<DefinedOperation, PublicOperation | KeyOperation>, Row>> = {
  showSession: { may: ALL, about: "self" },
  changePassword: {
    may: ALL,
    about: "self",
    body: { current_password: "not the right one", new_password: "twelve letters" },
    program: 400,
    person: 400,
  },
  signOut: { may: ALL, about: "self", program: 400 },
  listSessions: { may: ALL, about: "self", program: 400 },
  endSessions: { may: ALL, about: "self", program: 400 },
  endSession: { may: ALL, about: "self", program: 400, person: 404 },
  listModels: { may: ALL, about: "self" },

  listOrganizations: platform(),
  createOrganization: { ...platform(), body: NAME },
  listAllTokens: platform(),
  createOperatorToken: platform({ name: "another" }),
  revokeAnyToken: platform(),
  createOperatorLink: platform({ name: "Ada" }),
  listOperatorSessions: platform(),
  endOperatorSession: { ...platform(), program: 404, person: 404 },
  listAllEvents: platform(),
  listAllAudit: platform(),
  listProviders: platform(),
  checkProviders: platform(),
  showConfiguration: platform(),
  readAllUsage: platform(),
  readAllUsageLines: { ...platform(), program: 400, person: 400 }, // Without their month.
  listSpending: platform(),
  listNodes: platform(),
  listAllRunning: platform(),
  verifyAudit: platform(),
  eraseDeleted: platform({}),
  reloadConfiguration: platform(),
  reconcile: platform(),

  showOrganization: organization(ALL),
  renameOrganization: organization(OWNERS, NAME),
  suspendOrganization: organization(OPERATOR),
  resumeOrganization: organization(OPERATOR),
  deleteOrganization: { ...organization(OPERATOR, { confirm: "another name" }), program: 400, person: 400 },
  listMembers: organization(ALL),
  addMember: organization(MANAGERS, { email: "new@test.test", role: "member" }),
  setMemberRole: organization(MANAGERS, { role: "admin" }),
  removeMember: organization(MANAGERS),
  createSignInLink: organization(MANAGERS),
  listMemberSessions: organization(MANAGERS),
  endMemberSessions: organization(MANAGERS),
  endMemberSession: { ...organization(MANAGERS), program: 404, person: 404 },
  listKeys: organization(ALL),
  createKey: organization(MANAGERS, { name: "web app" }),
  updateKey: organization(MANAGERS, { unanswered_calls: "drop" }),
  rotateKey: organization(MANAGERS, { grace: "1h" }),
  revokeKey: organization(MANAGERS),
  setPaymentMethod: organization(OWNERS),
  clearPaymentMethod: organization(OWNERS),
  startPlan: organization(OWNERS),
  stopPlan: organization(OWNERS),
  showCredits: organization(ALL),
  addCredits: organization(OPERATOR, { amount: 1.5 }),
  listBudgets: organization(MANAGERS),
  setBudget: organization(MANAGERS, ({ key }: Place) => ({ scope: "key", id: key, limit: 3 })),
  raiseBudget: organization(MANAGERS, { scope: "organization", period: "month", amount: 0, until: 0 }),
  clearBudget: organization(MANAGERS, { scope: "organization", period: "month" }),
  listIncreases: organization(MANAGERS),
  // Of no request: budget-increases.test.ts has some.
  grantIncrease: { ...organization(MANAGERS, { amount: 1 }), program: 404, person: 404 },
  declineIncrease: { ...organization(MANAGERS), program: 404, person: 404 },
  // Of no budget.
  tryBudget: { ...organization(MANAGERS), program: 400, person: 400 },
  tryPolicy: organization(MANAGERS),
  setPolicy: organization(MANAGERS, { tool_calls_per_turn: 4 }),
  showLimits: organization(MANAGERS),
  setLimits: organization(MANAGERS, { open_streams: 2 }),
  showRetention: organization(ALL),
  setRetention: organization(OWNERS, { days: 30 }),
  readUsage: organization(ALL),
  readUsageLines: { ...organization(ALL), program: 400, person: 400 },
  listRunning: organization(MANAGERS),
  listTransfers: organization(MANAGERS),
  listTurns: organization(ALL),
  // Of no turn: turns.test.ts shows some.
  showTurn: { ...organization(ALL), program: 404, person: 404 },
  countTurns: organization(ALL),
  // Without its query: turns.test.ts has some.
  groupTurns: { ...organization(ALL), program: 400, person: 400 },
  showTurnSummary: organization(ALL),
  listRejections: organization(ALL),
  // Of no request: rejections.test.ts shows some.
  showRejection: { ...organization(ALL), program: 404, person: 404 },
  listEvents: organization(MANAGERS),
  listAudit: organization(MANAGERS),
  listTokens: organization(MANAGERS),
  createToken: organization(MANAGERS, { name: "another", role: "member" }),
  revokeToken: organization(MANAGERS),
};

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
    .replace(":request_id", "req_nowhere");
}

async function send(operation: keyof typeof ROWS, who: Identity | null, place: Place) {
  const { body } = ROWS[operation];
  const route = ROUTES.find((known) => known.operation === operation);
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
  for (const { operation, method, path } of ROUTES) {
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
