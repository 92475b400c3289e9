import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { copyAs } from "./copy-as.ts";

const BASE_URL = "http://127.0.0.1:8081/v1";
const BODY = { model: "simulated/echo", input: `it's "quoted" $HOME \\n`, stream: true };

test("a shell passes the body of the curl line on as it is", () => {
  const line = copyAs("curl", BASE_URL, BODY).replace(/^curl/, "printf '%s\\n'");
  const printed = execFileSync("sh", ["-c", line], { env: { ...process.env, API_KEY: "sk_1" } }).toString();
  assert.ok(printed.includes(JSON.stringify(BODY)), printed);
  assert.ok(printed.includes("Authorization: Bearer sk_1"));
});

test("Python's literals are Python's, and fields of the service's own go into extra_body", () => {
  const text = copyAs("Python", BASE_URL, { ...BODY, conversation: null, "svc:unanswered_calls": "drop" });
  assert.match(text, /^ {4}stream=True,$/m);
  assert.match(text, /^ {4}conversation=None,$/m);
  assert.match(text, /^ {4}extra_body=\{"svc:unanswered_calls": "drop"\},$/m);
});

test("JavaScript has the body as an object", () => {
  assert.ok(copyAs("JavaScript", BASE_URL, BODY).includes(`responses.create(${JSON.stringify(BODY, null, 2)})`));
});
