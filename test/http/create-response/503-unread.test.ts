// A create without room is rejected before its body is read; nothing else waits for that room. @spec errors (gateway_overloaded)
import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { overloadedError } from "../../../src/flows/overload/admission.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

/** The status of a POST whose body never arrives. */
function statusWithoutBody(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${service.key}`, "content-length": 1000 };
    const sent = request(`${service.baseUrl}${path}`, { method: "POST", headers, agent: false });
    sent.on("error", reject);
    sent.on("response", (answer) => {
      resolve(answer.statusCode);
      sent.off("error", reject).on("error", () => {});
      sent.destroy();
    });
    sent.flushHeaders();
  });
}

test("with as many creates as it can work on, the service rejects the next one unread", async () => {
  const { admission } = service.gateway;
  const { assertNotFull } = admission;
  Object.assign(admission, {
    assertNotFull() {
      throw overloadedError();
    },
  });
  assert.equal(await statusWithoutBody("/v1/responses"), 503);
  assert.equal((await service.request("POST", "/v1/conversations")).status, 200);
  assert.equal((await service.request("GET", "/v1/models")).status, 200);
  Object.assign(admission, { assertNotFull });
  assert.equal((await service.create({ input: "Hi" })).status, 200);
});
