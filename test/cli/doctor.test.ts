// `turngate doctor`: the keys of providers, the root secret and the schema.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, test } from "node:test";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openCommandLine } from "./command-line.ts";

/** A fake of all providers: accepts the good key, and rejects any other in the provider's own way. */
const server = createServer(({ headers, url = "" }, response) => {
  const keys = [headers["x-api-key"], headers["x-goog-api-key"], headers.authorization];
  if (keys.includes("good") || keys.includes("Bearer good")) {
    response.end('{"data":[]}');
    return;
  }
  response.statusCode = url.startsWith("/v1beta/") ? 400 : 401;
  response.end('{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}');
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const line = openCommandLine();
after(() => {
  server.close();
  line.remove();
});

async function examine(variables: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await line.run(["doctor", "--json"], {
    ANTHROPIC_BASE_URL: origin,
    GEMINI_BASE_URL: origin,
    OPENAI_BASE_URL: `${origin}/v1`,
    ...variables,
  });
  const all: readonly { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
  const found = all
    // The simulated provider, on without a file, has no server to check.
    .filter(({ check }) => check.startsWith("provider ") && check !== "provider simulated")
    .map(({ check, ok, detail }) => [check, ok, detail]);
  return { code, stdout, stderr, found };
}

test("the start, migrate and doctor report a migration that was changed after it ran, in one line", async () => {
  const changed = openCommandLine();
  try {
    await changed.run(["migrate"]);
    const database = new DatabaseSync(join(changed.folder, "data", "turngate.db"));
    database.exec("update schema_version set checksum = 'of another text' where version = 1");
    database.close();
    const words = /The migration 0001-initial\.sql was changed after it ran on /;
    for (const command of ["serve", "migrate"]) {
      const { code, stdout, stderr } = await changed.run([command], { PORT: "0", MANAGE_PORT: "0" });
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, words);
      assert.match(stderr, /^error: .*\n$/);
    }
    const { code, stdout } = await changed.run(["doctor", "--json"]);
    assert.notEqual(code, 0);
    const findings = JSON.parse(stdout) as { check: string; ok: boolean; detail: string }[];
    const schema = findings.find(({ check }) => check === "schema");
    assert.equal(schema?.ok, false);
    assert.match(schema?.detail ?? "", words);
  } finally {
    changed.remove();
  }
});

test("doctor says which address clients see, and that the management interface's own is none for them", async () => {
  const own = openCommandLine();
  const publicUrl = async (variables: Readonly<Record<string, string>>) => {
    const { stdout } = await own.run(["doctor", "--json"], { PORT: "8080", MANAGE_PORT: "8081", ...variables });
    const findings = JSON.parse(stdout) as { check: string; ok: boolean; detail: string }[];
    return findings.find(({ check }) => check === "public URL");
  };
  try {
    const unset = await publicUrl({});
    assert.deepEqual([unset?.ok, unset?.detail], [true, "not set: people see http://127.0.0.1:8080/v1"]);
    const set = await publicUrl({ PUBLIC_URL: "https://api.acme.test" });
    assert.deepEqual([set?.ok, set?.detail], [true, "https://api.acme.test/v1"]);
    const managed = await publicUrl({ PUBLIC_URL: "http://127.0.0.1:8081/v1" });
    assert.equal(managed?.ok, false);
    assert.match(managed?.detail ?? "", /is where the management interface listens/);
    const plain = await publicUrl({ PUBLIC_URL: "http://api.acme.test", MANAGE_URL: "https://manage.acme.test" });
    assert.deepEqual([plain?.ok, plain?.detail], [true, "http://api.acme.test/v1, which sends keys unencrypted"]);
  } finally {
    own.remove();
  }
});

test("doctor reports a file of another application", async () => {
  const foreign = openCommandLine();
  try {
    mkdirSync(join(foreign.folder, "data"));
    const database = new DatabaseSync(join(foreign.folder, "data", "turngate.db"));
    database.exec("create table theirs (id integer primary key)");
    database.close();
    const { code, stdout } = await foreign.run(["doctor", "--json"]);
    assert.notEqual(code, 0);
    const findings = JSON.parse(stdout) as { check: string; ok: boolean; detail: string }[];
    const schema = findings.find(({ check }) => check === "schema");
    assert.equal(schema?.ok, false);
    assert.match(schema?.detail ?? "", /another application's database/);
  } finally {
    foreign.remove();
  }
});

test("doctor confirms keys that work", async () => {
  const keys = { ANTHROPIC_API_KEY: "good", GEMINI_API_KEY: "good", OPENAI_API_KEY: "good" };
  const { code, found } = await examine(keys);
  assert.deepEqual(
    found,
    ["anthropic", "gemini", "openai"].map((name) => [
      `provider ${name}`,
      true,
      `${origin} replies (200), the key works`,
    ]),
  );
  assert.equal(code, 0);
});

test("doctor names the provider of a rejected key, and never shows the key", async () => {
  const keys = { ANTHROPIC_API_KEY: "CANARY1", GEMINI_API_KEY: "CANARY2", OPENAI_API_KEY: "CANARY3" };
  const { code, stdout, stderr, found } = await examine(keys);
  assert.deepEqual(found, [
    ["provider anthropic", false, `${origin} rejects the key of anthropic (401)`],
    ["provider gemini", false, `${origin} rejects the key of gemini (400)`],
    ["provider openai", false, `${origin} rejects the key of openai (401)`],
  ]);
  assert.notEqual(code, 0);
  assert.doesNotMatch(stdout + stderr, /CANARY/);
});

test("doctor reports an unreachable provider, in one line", async () => {
  const { found } = await examine({ OPENAI_API_KEY: "good", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" });
  assert.deepEqual(found, [
    ["provider openai", false, "http://127.0.0.1:1 can't be reached (connect ECONNREFUSED 127.0.0.1:1)"],
  ]);
  const secure = await examine({ OPENAI_API_KEY: "good", OPENAI_BASE_URL: origin.replace("http:", "https:") });
  assert.match(String(secure.found[0]?.[2]), /^https:.* can't be reached \(.*wrong version number.*\)$/);
});

test("doctor reports a base URL that redirects or that has no such path, and sends the key nowhere else", async () => {
  const keysSeen: unknown[] = [];
  const elsewhere = createServer(({ headers }, response) => {
    keysSeen.push(headers["x-api-key"]);
    response.end("{}");
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  const wrong = createServer(({ url = "" }, response) => {
    response.writeHead(url.startsWith("/moved/") ? 302 : 404, { location }).end();
  });
  await new Promise<void>((resolve) => wrong.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(wrong.address() as AddressInfo).port}`;
  try {
    const { found } = await examine({
      ANTHROPIC_API_KEY: "good",
      ANTHROPIC_BASE_URL: `${address}/moved`,
      GEMINI_API_KEY: "good",
      GEMINI_BASE_URL: `${address}/CANARY`,
      OPENAI_API_KEY: "good",
      OPENAI_BASE_URL: address,
    });
    assert.deepEqual(found, [
      [
        "provider anthropic",
        false,
        `${address} redirects (302), which turns do not follow: configure the target as the base URL`,
      ],
      // A path may hold a token.
      ["provider gemini", true, `${address} replies (404): there is no /models; if turns fail, check the base URL`],
      ["provider openai", true, `${address} replies (404): there is no /models; if turns fail, check the base URL`],
    ]);
    assert.deepEqual(keysSeen, []);
  } finally {
    wrong.close();
    elsewhere.close();
  }
});

test("doctor reports a root secret of another store in the words of the start that it would stop", async () => {
  const own = openCommandLine();
  after(() => own.remove());
  const look = async (variables: Readonly<Record<string, string>>) => {
    const { code, stdout } = await own.run(["doctor", "--json"], variables);
    const all: readonly { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
    const { ok, detail } = all.find(({ check }) => check === "secret") ?? assert.fail(stdout);
    return [code, ok, detail];
  };
  const foreign = (source: string) =>
    `${source} is not the root secret that the keys of ./data/turngate.db were created with, so all of them would be rejected. Restore the former secret.`;
  assert.equal((await own.run(["migrate"])).code, 0);
  assert.equal((await own.run(["orgs", "create", "--name", "acme"])).code, 0);

  assert.deepEqual(await look({}), [0, true, "data/secret"]);
  assert.deepEqual(await look({ TURNGATE_SECRET: "x".repeat(40) }), [1, false, foreign("TURNGATE_SECRET")]);
  writeFileSync(join(own.folder, "data/secret"), "y".repeat(40));
  assert.deepEqual(await look({}), [1, false, foreign("data/secret")]);
});

test("doctor asks the provider of single sign-on for its description", async () => {
  const own = openCommandLine();
  const provider = createServer(({ url }, response) => {
    const issuer = `http://${address}`;
    const document = { issuer, authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t` };
    const isDocument = url === "/.well-known/openid-configuration";
    response.writeHead(isDocument ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isDocument ? document : {}));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const address = `127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const examineAt = async (issuer: string) => {
    const file = `single_sign_on: {issuer: "${issuer}", client_id: x, rules: [{role: member, organization: a}]}`;
    writeFileSync(join(own.folder, "turngate.yaml"), file);
    const { stdout } = await own.run(["doctor", "--json"], { MANAGE_URL: "http://127.0.0.1:1" });
    const findings = JSON.parse(stdout) as { check: string; ok: boolean; detail: string }[];
    return findings.find(({ check }) => check === "single sign-on");
  };
  try {
    const issuer = `http://${address}`;
    assert.deepEqual(await examineAt(issuer), { check: "single sign-on", ok: true, detail: `${issuer} replies` });
    const wrong = await examineAt(`${issuer}/elsewhere`);
    assert.equal(wrong?.ok, false);
    assert.match(wrong?.detail ?? "", /\/elsewhere does not reply as an OpenID provider \(.+\)$/);
  } finally {
    provider.close();
    own.remove();
  }
});

test("doctor names the organizations of the configuration that do not exist, and creates no store", async () => {
  const own = openCommandLine();
  after(() => own.remove());
  const write = (exported: string) =>
    writeFileSync(
      join(own.folder, "turngate.yaml"),
      `single_sign_on:
  issuer: http://127.0.0.1:1
  client_id: x
  rules: [{group: a, role: operator}, {role: member, organization: acme}, {group: b, role: admin, organization: gone}]
content_export: {url: "http://127.0.0.1:1/v1/traces", organizations: [${exported}]}
`,
    );
  const look = async () => {
    const { stdout } = await own.run(["doctor", "--json"], { MANAGE_URL: "http://127.0.0.1:1" });
    const all: readonly { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
    const { ok, detail } = all.find(({ check }) => check === "organizations") ?? assert.fail(stdout);
    return [ok, detail];
  };
  write("org_none");
  assert.deepEqual(await look(), [true, "checked when the store has the schema of this version"]);
  assert.equal(existsSync(join(own.folder, "data", "turngate.db")), false);
  const { id } = await own.json<{ id: string }>("orgs", "create", "--name", "acme");
  const missing = (list: string) =>
    `there is no organization ${list}: its people can't sign in, and nothing of it is exported`;
  assert.deepEqual(await look(), [
    false,
    missing('"gone" (single_sign_on.rules[2]), "org_none" (content_export.organizations[0])'),
  ]);
  write(id);
  assert.deepEqual(await look(), [false, missing('"gone" (single_sign_on.rules[2])')]);
  await own.json("orgs", "create", "--name", "gone");
  assert.deepEqual(await look(), [true, "3 named in the configuration, all there"]);
});
