import assert from "node:assert/strict";
import { test } from "node:test";
import { read, readWrong } from "../../test/support/config.ts";
import { showConfig } from "./shown-config.ts";

const section = (lines: string) => `content_export:\n${lines.replaceAll(/^/gm, "  ")}`;
const WHOLE = "url: https://collector.test/v1/traces\norganizations: all";

test("without its section nothing is exported", async () => {
  assert.equal((await read(null)).contentExport, null);
  assert.equal((await read("limits: {}")).contentExport, null);
});

test("what is not given has its default, and headers may come from the environment", async () => {
  const source = section(`${WHOLE}\nheaders: { Authorization: "Basic \${LANGFUSE_AUTH}" }`);
  const config = await read(source, { LANGFUSE_AUTH: "c2VjcmV0" });
  assert.deepEqual(config.contentExport, {
    url: "https://collector.test/v1/traces",
    headers: { Authorization: "Basic c2VjcmV0" },
    organizations: "all",
    turnBytes: 65_536,
    waitingBytes: 16_777_216,
  });
  assert.deepEqual(config.warnings, []);
  const shown = showConfig(config).content_export;
  assert.deepEqual(shown?.headers, ["Authorization"]);
  assert.doesNotMatch(JSON.stringify(shown), /c2VjcmV0/);
});

test("an address that is not encrypted is a warning, unless it is on this machine", async () => {
  const warningsOf = async (url: string) => (await read(section(`url: ${url}\norganizations: [org_1]`))).warnings;
  assert.match((await warningsOf("http://collector:4318/v1/traces")).join(), /unencrypted/);
  assert.deepEqual(await warningsOf("http://127.0.0.1:4318/v1/traces"), []);
});

for (const [what, lines, expected] of [
  ["without organizations", "url: https://x/", /^FILE:1: content_export lacks organizations/],
  ["organizations by name", "url: https://x/\norganizations: [Acme]", /^FILE:3: content_export.organizations/],
  ["no organization", "url: https://x/\norganizations: []", /^FILE:3: content_export.organizations .* all, or a list/],
  ["another scheme", "url: ftp://x/\norganizations: all", /^FILE:2: content_export.url is "ftp:\/\/x\/"; allowed/],
  [
    "a password",
    "url: https://u:secret@x/\norganizations: all",
    /^FILE:2: content_export.url is not allowed: .* without/,
  ],
  ["a header of the request", `${WHOLE}\nheaders: { Host: secret }`, /^FILE:4: content_export.headers.Host is set by/],
  [
    "a header with a line end",
    `${WHOLE}\nheaders: { X-A: "secret\\n" }`,
    /^FILE:4: content_export.headers.X-A contains/,
  ],
  ["too little of a turn", `${WHOLE}\nturn_bytes: 10`, /^FILE:4: content_export.turn_bytes is 10; allowed/],
] as const) {
  test(`${what} is an error`, async () => {
    const message = await readWrong(section(lines));
    assert.match(message, expected);
    assert.doesNotMatch(message, /secret/);
  });
}
