// The rules of single sign-on: patterns of groups, and rules that a reload brings.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { SignInRule } from "../../src/core/access/single-sign-on.ts";
import { TESTS } from "../support/actor.ts";
import { singleSignOnAt, startOpenIdProvider } from "../support/openid-provider.ts";
import { ManagedService } from "./managed-service.ts";
import { sessionOf } from "./single-sign-on-stage.ts";

const PATTERN: SignInRule = { role: "admin", group: "team-{name}-admins", organization: "{name}", isPattern: true };

const provider = await startOpenIdProvider();
/** What the next reload reads. */
let rules: readonly SignInRule[] = [PATTERN];
const managed = await ManagedService.start({
  singleSignOn: singleSignOnAt(provider, { rules }, {}),
  reread: async (started) => ({ ...started, singleSignOn: singleSignOnAt(provider, { rules }, {}) }),
});
provider.register(managed.baseUrl);
after(async () => {
  await managed.close();
  await provider.close();
});

for (const name of ["red", "blue", "yellow"]) {
  await managed.store.createOrganization({ by: TESTS, id: `org_of_${name}`, name, createdAt: 1 });
}

/** A whole sign-in of a person with these groups. */
async function signIn(login: string, groups: readonly string[], body: object = {}) {
  await managed.service.clock.advance(60_000);
  provider.people.set(login, { email: `${login}@acme.test`, email_verified: true, groups });
  const begun = await managed.ask(null, "POST", "/single-sign-on", { body });
  const cookie = begun.headers["set-cookie"]?.split(";")[0] ?? "";
  const query = await provider.visit(begun.json.url, login);
  return managed.ask(null, "POST", "/single-sign-on/finish", { body: { query }, headers: { cookie } });
}

async function reload(given: readonly SignInRule[]) {
  rules = given;
  return (await managed.ask(managed.operator, "POST", "/configuration/reload")).json;
}

test("a pattern makes the organization of the group, whichever has its form", async () => {
  const reply = await signIn("ada", ["everybody", "team-red-admins", "team-nowhere-admins"]);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([reply.json.role, reply.json.organization.name], ["admin", "red"]);
  // Groups of the form without an organization are no news.
  assert.ok(!managed.service.logged.some(({ event }) => event === "manage.sso_unknown_organization"));
});

test("of several the first by name counts, or the one that is asked for", async () => {
  const groups = ["team-yellow-admins", "team-blue-admins"];
  assert.equal((await signIn("bob", groups)).json.organization.name, "blue");
  assert.equal((await signIn("bob", groups, { organization: "yellow" })).json.organization.name, "yellow");
  assert.equal((await signIn("bob", groups, { organization: "red" })).status, 403);
});

test("a group gives no access by an organization's id, nor where no form fits", async () => {
  for (const groups of [["team-org_of_red-admins"], ["team-red-users"], []]) {
    const reply = await signIn("eve", groups);
    assert.equal(reply.status, 403, String(groups));
    assert.match(reply.json.error.message, /give you no access here/);
  }
});

test("a reload takes new rules: they count at the next sign-in, which ends what they no longer allow", async () => {
  const session = sessionOf(await signIn("cleo", ["team-red-admins", "blue-people"]));
  const changed = await reload([{ role: "member", group: "blue-people", organization: "blue" }]);
  assert.deepEqual([changed.changed, changed.needs_restart], [["single_sign_on.rules"], []]);
  assert.ok(await managed.isSignedIn(session));
  const again = await signIn("cleo", ["team-red-admins", "blue-people"]);
  assert.deepEqual([again.json.role, again.json.organization.name], ["member", "blue"]);
  assert.equal(await managed.isSignedIn(session), false);
  const shown = (await managed.ask(managed.operator, "GET", "/configuration")).json;
  assert.equal(shown.single_sign_on.rules, 1);
  await reload([PATTERN]);
  assert.equal((await signIn("cleo", ["team-red-admins"])).json.organization.name, "red");
});
