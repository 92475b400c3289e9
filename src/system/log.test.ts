import assert from "node:assert/strict";
import { test } from "node:test";
import { UpstreamError } from "../ports/provider.ts";
import { openLog } from "./log.ts";
import type { LogLevel } from "./log-levels.ts";

function openCaught(level: LogLevel) {
  const lines: string[] = [];
  const { log, release } = openLog(level, { write: (line: string) => void lines.push(line) });
  release();
  return { log, text: () => lines.join(""), read: () => lines.map((line) => JSON.parse(line)) };
}

test("a line is one JSON object: time, level, event, fields", () => {
  const { log, read } = openCaught("info");
  log.info("turn settled", { responseId: "resp_1", tokens: 12, streamed: true, conversation: null });
  const [line] = read();
  assert.match(line.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(
    { ...line, time: "" },
    {
      time: "",
      level: "info",
      event: "turn settled",
      responseId: "resp_1",
      tokens: 12,
      streamed: true,
      conversation: null,
    },
  );
});

test("lines below the level are not written", () => {
  const { log, read } = openCaught("warn");
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  assert.deepEqual(
    read().map((line) => line.event),
    ["c", "d"],
  );
  const silent = openCaught("silent");
  silent.log.error("e");
  assert.equal(silent.text(), "");
});

test("keys are never written, whatever field or error contains them", () => {
  const { log, text } = openCaught("debug");
  const keys = [
    "sk_0123456789abcdefCANARY",
    "sk-ant-api03-CANARY_-abcdef",
    "AIzaSyCANARY0123456789",
    "adm_CANARY0123456789",
    "Bearer CANARY",
  ];
  for (const key of keys) {
    log.info("seen", { note: `sent ${key} along`, secret: "CANARY", authorization: "CANARY", api_key: "CANARY" });
    log.error("failed", {}, new Error(`no ${key}`, { cause: new Error(key) }));
  }
  assert.ok(!text().includes("CANARY"), text());
});

test("an error is logged with its type and stack; a message that may quote a client is left out", () => {
  const { log, read, text } = openCaught("info");
  let unreadable: unknown;
  try {
    JSON.parse('{"CANARY');
  } catch (error) {
    unreadable = error;
  }
  log.warn("body", {}, unreadable);
  log.warn(
    "provider",
    {},
    new UpstreamError({
      code: "provider_error",
      message: "CANARY",
      provider: "simulated",
      certainlyNotRun: false,
      cause: new Error("provider error: status 401"),
    }),
  );
  log.error("store", {}, new TypeError("broken"));
  log.error("thrown", {}, "CANARY");
  assert.ok(!text().includes("CANARY"), text());
  const [body, provider, store, thrown] = read();
  assert.equal(body.error.type, "SyntaxError");
  assert.deepEqual(provider.error, {
    type: "UpstreamError",
    code: "provider_error",
    cause: { type: "Error", message: "provider error: status 401" },
  });
  assert.equal(store.error.message, "broken");
  assert.match(store.error.stack, /log\.test\.ts/);
  assert.equal(thrown.error.type, "string");
});

test("text that looks like a stack frame is not logged as one", () => {
  const { log, text, read } = openCaught("info");
  const message = "rejected: Error\n    at CANARY (prompt.js:1:1)";
  log.warn("unreadable", {}, new SyntaxError(message));
  const changed = new SyntaxError(message);
  changed.message = "another";
  log.warn("changed", {}, changed);
  assert.ok(!text().includes("CANARY"), text());
  assert.match(read()[0].error.stack, /^at .*log\.test\.ts/);
});

test("a long value is truncated", () => {
  const { log, text } = openCaught("info");
  log.info("long", { note: "x".repeat(10_000_000) });
  assert.ok(text().length < 2000);
});

test("lines are held until they are released, and keep their order", () => {
  const lines: string[] = [];
  const { log, release } = openLog("info", { write: (line: string) => void lines.push(JSON.parse(line).event) });
  log.info("first");
  assert.deepEqual(lines, []);
  release();
  log.info("second");
  release();
  assert.deepEqual(lines, ["first", "second"]);
});
