import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { NotifyTarget } from "./notify-file.ts";
import { mailText, signedRequest, slackRequest, wants } from "./notice.ts";

const EVENT = {
  id: 17,
  organization: "org_a",
  organization_name: "Acme & <Co>",
  at: 1_700_000_000,
  type: "budget.reached",
  message: "The monthly budget of the key web app has reached 80 %.",
};
const TARGET: NotifyTarget = {
  name: "a",
  to: { type: "slack", url: "http://a.test" },
  events: null,
  organizations: null,
};

test("a target gets the types and organizations that it names", () => {
  for (const [target, expected] of [
    [{}, true],
    [{ events: ["budget.reached"] }, true],
    [{ events: ["budget.*"] }, true],
    [{ events: ["*"] }, true],
    [{ events: ["budget.set", "key.*"] }, false],
    [{ organizations: ["org_a"] }, true],
    [{ organizations: ["org_b"] }, false],
  ] as const) {
    assert.equal(wants({ ...TARGET, ...target }, EVENT), expected, JSON.stringify(target));
  }
  assert.equal(wants({ ...TARGET, organizations: ["org_a"] }, { ...EVENT, organization: null }), false);
});

test("a signature covers id, time and body with the bytes of the secret", () => {
  const key = Buffer.alloc(32, 7);
  const { body, headers } = signedRequest(EVENT, `whsec_${key.toString("base64")}`, 1_700_000_100);
  assert.deepEqual(JSON.parse(body), { type: "budget.reached", timestamp: "2023-11-14T22:13:20.000Z", data: EVENT });
  const expected = createHmac("sha256", key).update(`evt_17.1700000100.${body}`).digest("base64");
  assert.deepEqual(headers, {
    "content-type": "application/json",
    "webhook-id": "evt_17",
    "webhook-timestamp": "1700000100",
    "webhook-signature": `v1,${expected}`,
  });
});

test("a message of Slack has no markup of its own, and says of which organization it is", () => {
  const { text } = JSON.parse(slackRequest({ ...EVENT, message: "<!channel> & more" }).body) as { text: string };
  assert.equal(text, "Acme &amp; &lt;Co&gt;: &lt;!channel&gt; &amp; more");
});

test("the subject of a mail is one line", () => {
  const { subject, text } = mailText({ ...EVENT, organization_name: "A\r\nBcc: x@y.test" });
  assert.equal(subject, "Turngate: budget.reached (A Bcc: x@y.test)");
  assert.match(text, /^The monthly budget of the key web app has reached 80 %\.\n/);
});
