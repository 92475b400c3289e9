import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { read, readWrong } from "../../test/support/config.ts";

const CANARY = "CANARY-of-a-secret-that-no-message-may-show";

const folder = mkdtempSync(join(tmpdir(), "turngate-secrets-"));
after(() => rmSync(folder, { recursive: true }));

let made = 0;
function fileWith(content: string | Buffer): string {
  const path = join(folder, `secret-${made++}`);
  writeFileSync(path, content);
  return path;
}

test("every secret of the environment can be in a file, whose last line end is cut", async () => {
  const config = await read(null, {
    TURNGATE_SECRET_FILE: fileWith(`${CANARY}\n`),
    DATABASE_URL_FILE: fileWith("postgres://u:p@h/d\r\n"),
    OPENAI_API_KEY_FILE: fileWith("sk-openai"),
    HTTPS_PROXY_FILE: fileWith("http://u:p@proxy:1\n"),
  });
  assert.equal(config.rootSecret, CANARY);
  assert.equal(config.database.location, "postgres://u:p@h/d");
  const openai = config.providers.find(({ name }) => name === "openai");
  assert.deepEqual([openai?.apiKey, openai?.because], ["sk-openai", "OPENAI_API_KEY_FILE"]);
  assert.equal(config.proxies.https?.password, "p");
});

test("only one line end is cut: the rest of a file is the secret", async () => {
  const { rootSecret } = await read(null, { TURNGATE_SECRET_FILE: fileWith(` ${CANARY} \n\n`) });
  assert.equal(rootSecret, ` ${CANARY} \n`);
});

test("a link to a file is followed, as orchestrators mount secrets", async () => {
  const link = join(folder, "link");
  symlinkSync(fileWith(CANARY), link);
  assert.equal((await read(null, { TURNGATE_SECRET_FILE: link })).rootSecret, CANARY);
});

test("${NAME} in the file inserts the content of NAME_FILE", async () => {
  const source = "providers: {main: {type: openai, api_keys: ['${FIRST}', '${SECOND}']}}";
  const { providers } = await read(source, { FIRST_FILE: fileWith("one\n"), SECOND: "two" });
  assert.deepEqual([providers[0]?.apiKey, providers[0]?.furtherApiKeys], ["one", ["two"]]);
});

test("an empty variable counts as not set", async () => {
  const path = fileWith(CANARY);
  assert.equal((await read(null, { TURNGATE_SECRET: "", TURNGATE_SECRET_FILE: path })).rootSecret, CANARY);
  assert.equal((await read(null, { TURNGATE_SECRET: CANARY, TURNGATE_SECRET_FILE: "" })).rootSecret, CANARY);
});

const fifo = join(folder, "pipe");
execFileSync("mkfifo", [fifo]);
mkdirSync(join(folder, "directory"));

const faults: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  [
    "both variables",
    { OPENAI_API_KEY: CANARY, OPENAI_API_KEY_FILE: fileWith(CANARY) },
    /^OPENAI_API_KEY and OPENAI_API_KEY_FILE are both set; set only one of them\.$/,
  ],
  [
    "a missing file",
    { OPENAI_API_KEY_FILE: "/none" },
    /^OPENAI_API_KEY_FILE: the file \/none can't be read \(no such file or directory\)\.$/,
  ],
  ["an empty file", { TURNGATE_SECRET_FILE: fileWith("") }, /^TURNGATE_SECRET_FILE: the file \S+ is empty\.$/],
  ["a file with a line end alone", { TURNGATE_SECRET_FILE: fileWith("\n") }, /is empty\.$/],
  ["a directory", { TURNGATE_SECRET_FILE: join(folder, "directory") }, /is not a regular file\.$/],
  ["a pipe, which could block for ever", { TURNGATE_SECRET_FILE: fifo }, /is not a regular file\.$/],
  [
    "a large file",
    { TURNGATE_SECRET_FILE: fileWith(CANARY.repeat(2000)) },
    /has \d+ bytes; allowed: 65536 or fewer\.$/,
  ],
  ["bytes that are no text", { TURNGATE_SECRET_FILE: fileWith(Buffer.from([0xff, 0xfe, 0])) }, /is not UTF-8 text\.$/],
  ["a short secret", { TURNGATE_SECRET_FILE: fileWith("short\n") }, /^TURNGATE_SECRET_FILE has 5 characters; allowed/],
  ["a wrong URL", { DATABASE_URL_FILE: fileWith(CANARY) }, /^DATABASE_URL_FILE is "…"; allowed: sqlite:PATH/],
  [
    "a key of two lines",
    { OPENAI_API_KEY_FILE: fileWith(`a\n${CANARY}\n`) },
    /^OPENAI_API_KEY_FILE contains characters/,
  ],
  ["a wrong proxy", { HTTP_PROXY_FILE: fileWith(`ftp://${CANARY}`) }, /^HTTP_PROXY_FILE is "http:\/\/…"; allowed/],
  [
    "a wrong key",
    { TURNGATE_BOOTSTRAP_API_KEY_FILE: fileWith(CANARY) },
    /^TURNGATE_BOOTSTRAP_API_KEY_FILE is not an API key/,
  ],
];
for (const [name, variables, expected] of faults) {
  test(`${name} is an error that names the variable and shows no secret`, async () => {
    const message = await readWrong(null, variables);
    assert.match(message, expected);
    assert.doesNotMatch(message, /CANARY/);
  });
}

test("a fault of a file that ${NAME} inserts has the line", async () => {
  const source = "\nproviders: {main: {type: openai, api_key: '${ONE}'}}";
  assert.match(await readWrong(source, { ONE_FILE: "/none" }), /^FILE:2: ONE_FILE: the file \/none can't be read/);
  assert.match(await readWrong(source, { ONE: "1", ONE_FILE: "/none" }), /^FILE:2: ONE and ONE_FILE are both set/);
});
