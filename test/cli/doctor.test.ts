// `turngate doctor` tells which providers' keys work, and whether the root secret is the store's.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, test } from "node:test";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openCommandLine } from "./command-line.ts";

/** Every provider at once: a good key is answered, any other refused in the provider's own way. */
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
    .filter(({ check }) => check.startsWith("provider "))
    .map(({ check, ok, detail }) => [check, ok, detail]);
  return { code, stdout, stderr, found };
}

test("keys that work are said to", async () => {
  const keys = { ANTHROPIC_API_KEY: "good", GEMINI_API_KEY: "good", OPENAI_API_KEY: "good" };
  const { code, found } = await examine(keys);
  assert.deepEqual(
    found,
    ["anthropic", "gemini", "openai"].map((name) => [
      `provider ${name}`,
      true,
      `${origin} answers (200), the key works`,
    ]),
  );
  assert.equal(code, 0);
});

test("keys that do not are named by their provider, and never shown", async () => {
  const keys = { ANTHROPIC_API_KEY: "CANARY1", GEMINI_API_KEY: "CANARY2", OPENAI_API_KEY: "CANARY3" };
  const { code, stdout, stderr, found } = await examine(keys);
  assert.deepEqual(found, [
    ["provider anthropic", false, `${origin} refuses the key of anthropic (401)`],
    ["provider gemini", false, `${origin} refuses the key of gemini (400)`],
    ["provider openai", false, `${origin} refuses the key of openai (401)`],
  ]);
  assert.notEqual(code, 0);
  assert.doesNotMatch(stdout + stderr, /CANARY/);
});

test("a provider that is not there is said to be, in one line", async () => {
  const { found } = await examine({ OPENAI_API_KEY: "good", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" });
  assert.deepEqual(found, [
    ["provider openai", false, "http://127.0.0.1:1 can't be reached (connect ECONNREFUSED 127.0.0.1:1)"],
  ]);
  const secure = await examine({ OPENAI_API_KEY: "good", OPENAI_BASE_URL: origin.replace("http:", "https:") });
  assert.match(String(secure.found[0]?.[2]), /^https:.* can't be reached \(.*wrong version number.*\)$/);
});

test("a base URL that leads elsewhere, or to nothing, is told of, and its key goes nowhere else", async () => {
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
      OPENAI_API_KEY: "good",
      OPENAI_BASE_URL: address,
    });
    assert.deepEqual(found, [
      [
        "provider anthropic",
        false,
        `${address} sends elsewhere (302), where no turn follows: give that address as the base URL`,
      ],
      ["provider openai", true, `${address} answers (404): nothing is at /models; if turns fail, look at the base URL`],
    ]);
    assert.deepEqual(keysSeen, []);
  } finally {
    wrong.close();
    elsewhere.close();
  }
});

test("a root secret that is not the store's is told of, as the start that it would stop says it", async () => {
  const own = openCommandLine();
  after(() => own.remove());
  const look = async (variables: Readonly<Record<string, string>>) => {
    const { code, stdout } = await own.run(["doctor", "--json"], variables);
    const all: readonly { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
    const { ok, detail } = all.find(({ check }) => check === "secret") ?? assert.fail(stdout);
    return [code, ok, detail];
  };
  const foreign = (source: string) =>
    `${source} is not the root secret that the keys of ./data/turngate.db were made with: every one would be refused. Give the former one.`;
  assert.equal((await own.run(["migrate"])).code, 0);
  assert.equal((await own.run(["orgs", "create", "--name", "acme"])).code, 0);

  assert.deepEqual(await look({}), [0, true, "data/secret"]);
  assert.deepEqual(await look({ TURNGATE_SECRET: "x".repeat(40) }), [1, false, foreign("TURNGATE_SECRET")]);
  writeFileSync(join(own.folder, "data/secret"), "y".repeat(40));
  assert.deepEqual(await look({}), [1, false, foreign("data/secret")]);
});
