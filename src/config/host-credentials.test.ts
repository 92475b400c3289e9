// The credentials of hosts: what the configuration and the environment name is checked before anything starts, and no
// value of a variable is repeated.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Variables } from "../../packages/kit/variables.ts";
import { read, readWrong } from "../../test/support/config.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-credentials-"));
after(() => rmSync(folder, { recursive: true }));

/** A file in the folder, and its path. */
function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const AWS = {
  AWS_SHARED_CREDENTIALS_FILE: write("credentials", "[team]\naws_access_key_id = a\naws_secret_access_key = s\n"),
  AWS_CONFIG_FILE: write(
    "config",
    "[default]\nregion = x\n\n[profile two words]\nrole_arn = r\n  [ profile 'quoted' ]\n",
  ),
};
const token = write("token", "of a pod");
const account = write("account.json", '{"type":"service_account","client_email":"a@b","private_key":"k"}');
const POD = { AWS_WEB_IDENTITY_TOKEN_FILE: token, AWS_ROLE_ARN: "arn:aws:iam::1:role/r" };
const WORKLOAD = { AZURE_FEDERATED_TOKEN_FILE: token, AZURE_CLIENT_ID: "c" };

const azure = (host: string) =>
  `providers: {a: {type: openai, base_url: "https://x.openai.azure.com", host: {type: azure, ${host}}}}\n`;
const bedrock = (host: string, region = "us-gov-west-1") =>
  `providers: {a: {type: anthropic, host: {type: bedrock, region: ${region}, ${host}}}}\n`;
const vertex = (host = "", region = "eu") =>
  `providers: {a: {type: gemini, host: {type: vertex, project: my-project, region: ${region}${host}}}}\n`;

const ACCEPTED: readonly (readonly [source: string, variables?: Variables])[] = [
  [azure("identity: managed, client_id: c")],
  [azure("identity: default")],
  [azure("tenant_id: t, client_id: c, client_secret: s")],
  [azure("identity: workload, tenant_id: t"), WORKLOAD],
  [bedrock("identity: default")],
  [bedrock("identity: instance, role_arn: 'arn:aws:iam::123456789012:role/path/gateway'")],
  [bedrock("identity: profile, profile: team"), AWS],
  [bedrock("identity: profile, profile: two words"), AWS],
  [bedrock("identity: profile, profile: quoted"), AWS],
  [bedrock("identity: profile"), AWS],
  [bedrock("identity: profile"), { ...AWS, AWS_PROFILE: "team" }],
  [bedrock("identity: environment"), { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" }],
  [bedrock("identity: web_identity"), POD],
  [vertex(`, credentials_file: ${account}`)],
  [vertex(), { GOOGLE_APPLICATION_CREDENTIALS: account }],
];

test("an identity is accepted with what it needs", async () => {
  for (const [source, variables] of ACCEPTED) {
    // oxlint-disable-next-line no-await-in-loop -- they share the file
    assert.equal((await read(source, variables)).providers.length, 1, source);
  }
});

const no = write("no.json", "[]");
const keyless = write("keyless.json", '{"type":"service_account","client_email":"a@b"}');
const loggedOut = write("login.json", '{"type":"authorized_user","client_id":"a","client_secret":"s"}');
const REJECTED: readonly (readonly [name: string, source: string, expected: string, variables?: Variables])[] = [
  [
    "a workload identity outside of a workload",
    azure("identity: workload"),
    ".identity needs the environment variable AZURE_FEDERATED_TOKEN_FILE",
  ],
  [
    "a workload's token that is no file",
    azure("identity: workload, tenant_id: t"),
    ".identity needs AZURE_FEDERATED_TOKEN_FILE, which names a file that can't be read",
    { ...WORKLOAD, AZURE_FEDERATED_TOKEN_FILE: "/nowhere" },
  ],
  [
    "keys of an environment that has none",
    bedrock("identity: environment"),
    ".identity is environment and needs the environment variable AWS_ACCESS_KEY_ID",
  ],
  [
    "the identity of a container outside of one",
    bedrock("identity: container"),
    ".identity is container and needs the environment variable AWS_CONTAINER_CREDENTIALS_FULL_URI or AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  ],
  [
    "a pod's token that is no file",
    bedrock("identity: web_identity"),
    ".identity is web_identity and needs AWS_WEB_IDENTITY_TOKEN_FILE, which names a file that can't be read",
    { ...POD, AWS_WEB_IDENTITY_TOKEN_FILE: "/nowhere" },
  ],
  [
    "a profile that no file has",
    bedrock("identity: profile, profile: other"),
    '.profile is "other", which is in no file of AWS',
    AWS,
  ],
  [
    "a profile of a variable that no file has",
    bedrock("identity: profile"),
    ".identity is profile and needs the one that AWS_PROFILE names, which is in no file of AWS",
    { ...AWS, AWS_PROFILE: "CANARY" },
  ],
  [
    "no profile, and none by default",
    bedrock("identity: profile"),
    '.identity is profile and needs one named "default", which is in no file of AWS',
    { ...AWS, AWS_CONFIG_FILE: "/nowhere" },
  ],
  [
    "credentials that are no file",
    vertex(", credentials_file: /nowhere.json"),
    ".credentials_file names a file that can't be read",
  ],
  [
    "credentials of another form",
    vertex(`, credentials_file: ${no}`),
    ".credentials_file names a file that is no JSON of Google's credentials",
  ],
  [
    "a service account without its key",
    vertex(`, credentials_file: ${keyless}`),
    ".credentials_file names a file of the type service_account without private_key",
  ],
  [
    "a login without its token",
    vertex(),
    " needs GOOGLE_APPLICATION_CREDENTIALS, which names a file of the type authorized_user without refresh_token",
    { GOOGLE_APPLICATION_CREDENTIALS: loggedOut },
  ],
];
for (const [name, source, expected, variables] of REJECTED) {
  test(`${name}: an error that says so`, async () =>
    assert.equal(await readWrong(source, variables), `FILE:1: providers.a.host${expected}.`));
}

const JSON_KEY = '{"type":"service_account","private_key":"-----BEGIN CANARY-----"}';
const HOLDS = "holds the credentials; write them to a file and name that";
const SECRETS: readonly (readonly [source: string, variables: Variables, expected: string])[] = [
  [vertex(', credentials_file: "${IT}"'), { IT: JSON_KEY }, `.credentials_file ${HOLDS}`],
  [vertex(', credentials_file: "${IT}"'), { IT: "CANARY" }, ".credentials_file names a file that can't be read"],
  [
    vertex(),
    { GOOGLE_APPLICATION_CREDENTIALS: `\n${JSON_KEY}` },
    ` needs GOOGLE_APPLICATION_CREDENTIALS, which ${HOLDS}`,
  ],
  [
    bedrock("identity: web_identity"),
    { ...POD, AWS_WEB_IDENTITY_TOKEN_FILE: "eyJhbGciOiJSUzI1NiJ9.CANARY.x" },
    `.identity is web_identity and needs AWS_WEB_IDENTITY_TOKEN_FILE, which ${HOLDS}`,
  ],
  [
    azure("identity: workload, tenant_id: t"),
    { ...WORKLOAD, AZURE_FEDERATED_TOKEN_FILE: "eyJ.CANARY.x" },
    `.identity needs AZURE_FEDERATED_TOKEN_FILE, which ${HOLDS}`,
  ],
  [
    bedrock("identity: default", '"${IT}"'),
    { IT: "CANARY" },
    '.region is "…", from a variable, which is no region of AWS, such as eu-central-1',
  ],
  [
    azure('identity: "${IT}"'),
    { IT: "CANARY" },
    '.identity is "…", from a variable; allowed: workload, managed, default',
  ],
];
test("no value of a variable is repeated, since it may be the secret", async () => {
  for (const [source, variables, expected] of SECRETS) {
    // oxlint-disable-next-line no-await-in-loop -- they share the file
    assert.equal(await readWrong(source, variables), `FILE:1: providers.a.host${expected}.`);
  }
});
