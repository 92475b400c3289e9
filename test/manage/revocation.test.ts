// After the call that revokes has returned, no request that starts later succeeds. @spec authentication
import assert from "node:assert/strict";
import { test } from "node:test";
import { managedForFile } from "./managed-service.ts";

const TRIALS = 200;

const managed = await managedForFile();

test(`${TRIALS} keys: under continuous requests, none that starts after the revocation is served`, async () => {
  const { service } = managed;
  const path = `/organizations/${service.organizationId}/keys`;
  for (let trial = 0; trial < TRIALS; trial++) {
    const { id, secret } = (await managed.ask(managed.operator, "POST", path, { body: { name: `trial ${trial}` } }))
      .json;
    const use = () => service.request("GET", "/v1/models", { key: secret });
    assert.equal((await use()).status, 200);
    const [revoked] = await Promise.all([managed.ask(managed.operator, "POST", `${path}/${id}/revoke`), use(), use()]);
    assert.equal(revoked.status, 200);
    for (const { status } of await Promise.all([use(), use(), use()])) assert.equal(status, 401, `trial ${trial}`);
  }
});

test(`${TRIALS} tokens: none that starts after the revocation is served`, async () => {
  for (let trial = 0; trial < TRIALS; trial++) {
    const { id, secret } = (await managed.ask(managed.operator, "POST", "/tokens", { body: { name: "a token" } })).json;
    const use = () => managed.ask({ token: secret }, "GET", "/organizations");
    assert.equal((await use()).status, 200);
    await Promise.all([managed.ask(managed.operator, "POST", `/tokens/${id}/revoke`), use(), use()]);
    for (const { status } of await Promise.all([use(), use()])) assert.equal(status, 401, `trial ${trial}`);
  }
});
