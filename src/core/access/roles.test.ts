import assert from "node:assert/strict";
import { test } from "node:test";
import { MANAGE_ROLES } from "../../contract/manage/roles.ts";
import { decideAccess, mayHandle, type RoleScope } from "./roles.ts";

const owner: RoleScope = { role: "owner", organizationId: "org_a" };
const operator: RoleScope = { role: "operator", organizationId: null };
const route = { scope: "organization", roles: ["operator", "owner"] } as const;

test("another organization is hidden, whatever the role", () => {
  assert.equal(decideAccess(route, owner, "org_b"), "hidden");
  assert.equal(decideAccess(route, { ...owner, role: "member" }, "org_b"), "hidden");
});

test("in one's own organization the role decides", () => {
  assert.equal(decideAccess(route, owner, "org_a"), "granted");
  assert.equal(decideAccess(route, { ...owner, role: "admin" }, "org_a"), "denied");
});

test("the operator sees every organization", () => {
  assert.equal(decideAccess(route, operator, "org_a"), "granted");
  assert.equal(decideAccess({ ...route, roles: ["owner"] }, operator, "org_a"), "denied");
});

test("platform routes are for the operator alone", () => {
  const platform = { scope: "platform", roles: ["operator"] } as const;
  assert.equal(decideAccess(platform, operator, null), "granted");
  assert.equal(decideAccess(platform, owner, null), "denied");
});

test("only owners and the operator manage owners", () => {
  const who = (other: "owner" | "admin" | "member") => MANAGE_ROLES.filter((role) => mayHandle(role, other));
  assert.deepEqual(who("owner"), ["operator", "owner"]);
  assert.deepEqual(who("admin"), ["operator", "owner", "admin"]);
  assert.deepEqual(who("member"), ["operator", "owner", "admin"]);
});
