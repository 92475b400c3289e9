import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { OperatorError } from "../kit/operator-error.ts";
import { readNotifyFile } from "./notify-file.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-notify-file-"));
after(() => rmSync(folder, { recursive: true }));
const EVENTS = ["organization.create", "budget.reached", "provider.failing"];
const SECRET = `whsec_${Buffer.alloc(32).toString("base64")}`;

function read(text: string) {
  const path = join(folder, "notify.yaml");
  writeFileSync(path, text);
  return readNotifyFile(path, { TOKEN: "adm_1", SECRET, HOOK: "https://hooks.test/very-secret" }, EVENTS);
}

const FILE = `token: \${TOKEN}
targets:
  ops: { type: http, url: https://ops.test/hook, secret: "\${SECRET}", events: [budget.*, provider.failing] }
  chat: { type: slack, url: "\${HOOK}", organizations: [org_a] }
  mail: { type: mail, server: "smtps://me:pw@mail.test:465", from: turngate@a.test, to: [ada@a.test] }
`;

test("a file has a token and targets, and defaults for the rest", () => {
  assert.deepEqual(read(FILE), {
    manageUrl: "http://127.0.0.1:8081",
    token: "adm_1",
    stateFile: "turngate-notify.state.json",
    deliveryLog: "turngate-notify.log",
    everySeconds: 10,
    giveUpAfterSeconds: 86_400,
    targets: [
      {
        name: "ops",
        to: { type: "http", url: "https://ops.test/hook", secret: SECRET },
        events: ["budget.*", "provider.failing"],
        organizations: null,
      },
      {
        name: "chat",
        to: { type: "slack", url: "https://hooks.test/very-secret" },
        events: null,
        organizations: ["org_a"],
      },
      {
        name: "mail",
        to: {
          type: "mail",
          server: "smtps://me:pw@mail.test:465",
          from: "turngate@a.test",
          recipients: ["ada@a.test"],
        },
        events: null,
        organizations: null,
      },
    ],
  });
});

test("a mistake is an error with its line and what is allowed, and shows no secret", () => {
  for (const [from, to, expected] of [
    ["token: ${TOKEN}", "token: sk_1", /:1: token has a value that is not allowed; allowed: a management token/],
    ["type: slack", "type: slak", /:4: targets\.chat\.type is "slak"; allowed: http, slack, mail/],
    ["budget.*", "budgt.*", /:3: targets\.ops\.events\[0\] is no type of events; allowed: organization\.create/],
    ["https://ops.test/hook", "file:///etc/passwd", /:3: targets\.ops\.url is not a valid address; allowed: http:\/\//],
    [', secret: "${SECRET}"', "", /:3: targets\.ops lacks secret, which a target http needs/],
    ['"${SECRET}"', "short", /:3: targets\.ops\.secret has a value that is not allowed; allowed: whsec_/],
    ["organizations: [org_a]", "to: [a@b.test]", /:4: targets\.chat\.to has no effect in a target slack/],
    ["smtps://me:pw@", "https://me:pw@", /:5: targets\.mail\.server is not a valid address; allowed: smtp:\/\//],
    ["targets:", "target:", /there is no key "target" in the file|lacks targets/],
  ] as const) {
    assert.throws(
      () => read(FILE.replace(from, to)),
      (error) => {
        assert.ok(error instanceof OperatorError);
        assert.match(error.message, expected);
        assert.doesNotMatch(error.message, /very-secret|sk_1|pw@|short/);
        return true;
      },
      to,
    );
  }
});
