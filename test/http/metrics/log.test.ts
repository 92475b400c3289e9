// The log of requests and responses, at any level: ids, codes and counts; never content, never a key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { v1FlowsOf } from "../../../src/server/v1/operations.ts";
import { openLog } from "../../../src/system/log.ts";
import { fails, says } from "../../support/scripted-provider.ts";
import { type TestService, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { without } from "../../support/without.ts";

/** The log lines, as an operator reads them. */
function written(service: TestService): string {
  const lines: string[] = [];
  const { log, release } = openLog("debug", { write: (line: string) => void lines.push(line) });
  release();
  for (const { level, event, fields, error } of service.logged) {
    log[level as "warn"](event, fields as Readonly<Record<string, string>>, error);
  }
  return lines.join("");
}

test("one line has the cause of a failed or withdrawn response; the request's line names the provider too", async () => {
  await withService({}, async (service) => {
    const detail = {
      provider: "scripted",
      status: 401,
      requestId: "req_upstream",
      cause: new Error("provider error: status 401"),
    };
    service.provider.plays([fails("provider_unavailable", detail)], [fails("provider_client_error", detail)]);
    for (let turn = 0; turn < 2; turn++) await service.create({ input: "Hello" });
    const lines = written(service)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const failure = { provider: "scripted", provider_status: 401, provider_request_id: "req_upstream" };
    const turns = lines.filter(({ event }) => event === "turn.provider_failure");
    assert.deepEqual(
      turns.map((line) => without(line, "level", "time", "response_id")),
      ["provider_unavailable", "provider_client_error"].map((code) => ({
        model: "test/all",
        ...failure,
        code,
        event: "turn.provider_failure",
        error: { type: "UpstreamError", code, cause: { type: "Error", message: "provider error: status 401" } },
      })),
    );
    const [request, ...others] = lines.filter(({ event }) => event === "request.failed");
    assert.equal(others.length, 0);
    assert.match(request.request_id, /^req_/);
    assert.deepEqual({ ...request, ...failure }, request);
    assert.equal(request.response_id, turns[0].response_id);
  });
});

test("a store failure that makes the service unready is logged", async () => {
  await withService({}, async (service) => {
    const { gateway, manageServices } = service;
    const ping = () => Promise.reject(new Error("is gone"));
    const store = { ...manageServices.store, ping };
    assert.equal(await v1FlowsOf({ ...manageServices, ...gateway, store }, gateway).isReady(), false);
    assert.match(written(service), /"level":"error",.*"message":"is gone".*"event":"store.unavailable"/);
  });
});

test("no content of clients or providers and no key is in the log", async () => {
  await withService({ hasPlainModels: true }, async (service) => {
    const quoting = "canary-quoted\n    at canary-frame";
    const call = { type: "call_started", index: 0, callId: "canary-call", name: "canary" } as const;
    service.provider.plays(
      says("canary-output"),
      [[call], fails("provider_error", { message: quoting })],
      [fails("provider_unavailable", { message: quoting })],
      [fails("provider_client_error", { message: quoting })],
      [new SyntaxError(quoting)],
      [fails("provider_unavailable", { message: quoting, certainlyNotRun: true })],
    );
    const body = { input: "canary-input", instructions: "canary-instructions", metadata: { label: "canary-label" } };
    const create = (key: string) =>
      service.create({ ...body, user: "canary-user" }, { headers: { "idempotency-key": key } });
    for (let turn = 0; turn < 5; turn++) await create(`canary-${turn}`);
    const retried = create("canary-retried");
    await until("the retry", () => service.logged.some(({ event }) => event === "provider.retry"));
    await service.clock.advance(1000);
    await retried;
    await service.create({ ...body, temperature: "canary-setting" });
    await service.request("GET", "/v1/responses/canary-id?include=canary-include");
    await service.request("POST", "/v1/conversations", { body: "canary-body" });
    const text = written(service);
    assert.match(text, /"event":"turn.ended"/);
    assert.match(text, /"event":"request.answered"/);
    assert.match(text, /"event":"turn.provider_failure"/);
    assert.match(text, /"event":"provider.retry"/);
    assert.match(text, /"event":"request.failed"/);
    assert.match(text, /"event":"turn.fault"/);
    assert.doesNotMatch(text, /canary/i);
    assert.ok(!text.includes(service.key));
  });
});
