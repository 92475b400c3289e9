import assert from "node:assert/strict";
import { test } from "node:test";
import { read, readWrong } from "../../test/support/config.ts";

const section = (lines: string) => `single_sign_on:\n${lines.replaceAll(/^/gm, "  ")}`;
const RULE = "rules: [{role: member, organization: Acme}]";

test("what is not given has its default, and the secret may come from the environment", async () => {
  const source = section(
    `issuer: https://login.acme.test/realms/acme\nclient_id: turngate\nclient_secret: \${OIDC_SECRET}\n${RULE}`,
  );
  assert.deepEqual((await read(source, { OIDC_SECRET: "s3cret" })).singleSignOn, {
    clientId: "turngate",
    clientSecret: "s3cret",
    scopes: ["openid", "email", "profile"],
    policy: {
      name: "login.acme.test",
      issuer: "https://login.acme.test/realms/acme",
      claims: { email: "email", groups: "groups" },
      trustsEmail: false,
      addsMembers: true,
      isOnlyWay: false,
      rules: [{ role: "member", group: null, organization: "Acme" }],
    },
  });
});

test("everything can be set; openid is always among the scopes", async () => {
  const source = section(
    [
      "issuer: http://localhost:9000",
      "client_id: turngate",
      "name: Acme",
      "scopes: [email, groups]",
      "email_claim: upn",
      "groups_claim: realm_access.roles",
      "trust_email: true",
      "add_members: false",
      "only: true",
      "rules:",
      "  - {role: operator, group: platform}",
      "  - {role: owner, group: leads, organization: org_1}",
      "  - {role: admin, group: 'team-{name}-admins', organization: 'Team {name}'}",
    ].join("\n"),
  );
  const { singleSignOn } = await read(source);
  assert.deepEqual(singleSignOn, {
    clientId: "turngate",
    clientSecret: null,
    scopes: ["openid", "email", "groups"],
    policy: {
      name: "Acme",
      issuer: "http://localhost:9000",
      claims: { email: "upn", groups: "realm_access.roles" },
      trustsEmail: true,
      addsMembers: false,
      isOnlyWay: true,
      rules: [
        { role: "operator", group: "platform" },
        { role: "owner", group: "leads", organization: "org_1" },
        { role: "admin", group: "team-{name}-admins", organization: "Team {name}", isPattern: true },
      ],
    },
  });
});

for (const [name, lines, words] of [
  ["no rules", "issuer: https://a.test\nclient_id: x", /^FILE:1: single_sign_on lacks rules/],
  [
    "an empty list of rules",
    "issuer: https://a.test\nclient_id: x\nrules: []",
    /rules is a list; allowed: a list of 1 to 200/,
  ],
  [
    "an issuer without TLS",
    `issuer: http://a.test\nclient_id: x\n${RULE}`,
    /^FILE:2: single_sign_on.issuer is not allowed: it must be an https/,
  ],
  ["an issuer with a password", `issuer: https://u:secret@a.test\nclient_id: x\n${RULE}`, /without user and password/],
  [
    "an issuer that is no address",
    `issuer: a.test\nclient_id: x\n${RULE}`,
    /issuer is "a.test"; allowed: the provider's issuer/,
  ],
  [
    "the discovery document",
    `issuer: https://a.test/.well-known/openid-configuration\nclient_id: x\n${RULE}`,
    /leave out \/.well-known\//,
  ],
  [
    "an operator without a group",
    "issuer: https://a.test\nclient_id: x\nrules:\n  - {role: operator}",
    /^FILE:5: single_sign_on.rules\[0\] lacks group/,
  ],
  [
    "an operator of an organization",
    "issuer: https://a.test\nclient_id: x\nrules:\n  - {role: operator, group: g, organization: o}",
    /an operator belongs to none/,
  ],
  [
    "an operator of every group of a form",
    "issuer: https://a.test\nclient_id: x\nrules:\n  - {role: operator, group: 'ops-{name}'}",
    /^FILE:5: single_sign_on.rules\[0\] has \{name\} in its group: an operator belongs to none/,
  ],
  ...[
    "{role: admin, group: 'team-{name}', organization: Acme}",
    "{role: admin, group: team, organization: '{name}'}",
    "{role: admin, organization: '{name}'}",
    "{role: admin, group: '{name}-{name}', organization: '{name}'}",
  ].map(
    (rule) =>
      [
        `a pattern without its other half, ${rule}`,
        `issuer: https://a.test\nclient_id: x\nrules:\n  - ${rule}`,
        /^FILE:5: single_sign_on.rules\[0\] has \{name\} in one place: it must be once in the group and once in the organ/,
      ] as const,
  ),
  ["a member of nothing", "issuer: https://a.test\nclient_id: x\nrules:\n  - {role: member}", /lacks organization/],
  [
    "a role that is none",
    "issuer: https://a.test\nclient_id: x\nrules:\n  - {role: boss}",
    /role is "boss"; allowed: one of operator, owner, admin, member/,
  ],
  [
    "a secret that is no text",
    `issuer: https://a.test\nclient_id: x\nclient_secret: 12345678\n${RULE}`,
    /client_secret has a value that is not allowed/,
  ],
  [
    "a scope with a space",
    `issuer: https://a.test\nclient_id: x\nscopes: ["a b"]\n${RULE}`,
    /scopes\[0\] is "a b"; allowed: a scope/,
  ],
] as const) {
  test(`${name} is an error`, async () => {
    const message = await readWrong(section(lines));
    assert.match(message, words);
    assert.doesNotMatch(message, /secret@|12345678/);
  });
}

test("without the address that is registered at the provider there is a warning", async () => {
  const source = `catalog: none\nproviders: {s: {type: simulated}}\nmodels: [{id: s/m}]\n${section(`issuer: https://a.test\nclient_id: x\n${RULE}`)}`;
  const { warnings } = await read(source);
  assert.match(String(warnings), /:4: single_sign_on without server.manage_url/);
  assert.deepEqual((await read(source, { MANAGE_URL: "https://manage.test" })).warnings, []);
});
