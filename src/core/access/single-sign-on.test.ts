import assert from "node:assert/strict";
import { test } from "node:test";
import { fittingRules, hasClaims, readIdentity, type SignInRule } from "./single-sign-on.ts";

const NAMES = { email: "email", groups: "groups" };

test("an identity has the subject, the address in lower case and the groups", () => {
  const claims = { sub: "s1", email: " Ada@Acme.Test ", email_verified: true, groups: ["a", "b"] };
  assert.deepEqual(readIdentity(claims, NAMES), {
    subject: "s1",
    email: "ada@acme.test",
    isEmailVerified: true,
    groups: ["a", "b"],
  });
});

test("what is no address is none, and verified is only what says so", () => {
  for (const email of [undefined, null, 7, "", "nobody", "a b@c", "a@b\u0000", `${"a".repeat(260)}@b.test`]) {
    assert.equal(readIdentity({ sub: "s", email }, NAMES).email, null, String(email));
  }
  const verified = (value: unknown) => readIdentity({ sub: "s", email_verified: value }, NAMES).isEmailVerified;
  assert.deepEqual([undefined, false, "false", 1, null].map(verified), [false, false, false, false, false]);
  assert.deepEqual([true, "true"].map(verified), [true, true]);
});

test("a subject that the standard does not allow is none", () => {
  for (const sub of [undefined, 7, "", "a\u0000", "é", "x".repeat(256)]) {
    assert.equal(readIdentity({ sub }, NAMES).subject, null, String(sub));
  }
  assert.equal(readIdentity({ sub: "x".repeat(255) }, NAMES).subject?.length, 255);
});

test("a group claim may be one text, a list with other values, or nested", () => {
  const groups = (claims: object, name: string) =>
    readIdentity({ sub: "s", ...claims }, { ...NAMES, groups: name }).groups;
  assert.deepEqual(groups({ groups: "one" }, "groups"), ["one"]);
  assert.deepEqual(groups({ groups: ["one", 2, null, "three"] }, "groups"), ["one", "three"]);
  assert.deepEqual(groups({ realm_access: { roles: ["admin"] } }, "realm_access.roles"), ["admin"]);
  assert.deepEqual(
    groups({ "realm_access.roles": ["whole"], realm_access: { roles: ["path"] } }, "realm_access.roles"),
    ["whole"],
  );
  for (const name of ["none", "realm_access.none", "sub.length", "__proto__.constructor", "constructor.name"]) {
    assert.deepEqual(groups({ realm_access: {} }, name), [], name);
  }
});

test("groups are bounded", () => {
  const many = Array.from({ length: 5000 }, (_, index) => `g${index}`);
  assert.equal(readIdentity({ sub: "s", groups: many }, NAMES).groups.length, 1000);
});

test("claims are complete with an address and groups", () => {
  assert.ok(hasClaims({ email: "a@b.test", groups: [] }, NAMES));
  assert.ok(!hasClaims({ email: "a@b.test" }, NAMES));
  assert.ok(!hasClaims({ groups: [] }, NAMES));
});

test("a pattern is a rule for each group of its form, in the order of their names", () => {
  const pattern = { role: "admin", group: "team-{name}-admins", organization: "Team {name}", isPattern: true } as const;
  const everybody = { role: "member", group: null, organization: "Acme" } as const;
  const fits = (...groups: string[]) =>
    fittingRules([pattern, everybody], groups).map((rule) => rule.role !== "operator" && rule.organization);
  assert.deepEqual(fits("team-b-admins", "team-a-b-admins", "team-b-admins"), ["Team a-b", "Team b", "Acme"]);
  assert.deepEqual(fits("team--admins", "team-admins", "xteam-b-admins", "team-b-adminsx", "Team-b-admins"), ["Acme"]);
  assert.deepEqual(fits("team-$&-admins", "team-{name}-admins"), ["Team $&", "Team {name}", "Acme"]);
  const whole = { role: "member", group: "{name}", organization: "{name}", isPattern: true } as const;
  assert.deepEqual(fittingRules([whole], ["a", ""]), [{ ...whole, group: "a", organization: "a" }]);
});

test("rules fit by group, or everybody, in their order", () => {
  const rules: readonly SignInRule[] = [
    { role: "operator", group: "platform" },
    { role: "admin", group: "leads", organization: "Acme" },
    { role: "member", group: null, organization: "Acme" },
  ];
  const [operator, admin, member] = rules;
  assert.deepEqual(fittingRules(rules, ["leads"]), [admin, member]);
  assert.deepEqual(fittingRules(rules, ["platform", "leads"]), [operator, admin, member]);
  assert.deepEqual(fittingRules(rules, ["Leads", "constructor"]), [member]);
});
