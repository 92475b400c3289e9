// What an operator sees of nodes, providers and the configuration.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { PROVIDER_CHECKS_PER_MINUTE } from "../../src/contract/manage/limits.ts";
import { familyOf } from "../support/family-of.ts";
import { NEEDS_BROWSER, open, openTab, shareStage, visitAsOperator } from "./stage.ts";

/** A provider's server, which accepts one key. */
const server = createServer(({ headers }, response) => {
  response.statusCode = headers.authorization === "Bearer good" ? 200 : 401;
  response.end("{}");
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => server.close());
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const acme = {
  name: "acme",
  family: familyOf("openai-compatible"),
  baseUrl: `${baseUrl}/v1`,
  apiKey: "good",
  furtherApiKeys: ["CANARY"],
  because: "this test",
};
const stage = shareStage({ furtherProviders: [acme] });

test("a provider is shown as it did last, and the configuration without a secret", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  await open(page, "Service");
  await page.getByText("1 of 1").or(page.getByText("2 of 2")).waitFor();
  await openTab(page, "Providers");
  const row = page.getByRole("table", { name: "Providers" }).getByRole("row", { name: /^simulated/ });
  await row.getByText("not called yet").waitFor();
  // A client error is not retried, so that one call fails.
  await service.create(service.key, { model: "simulated/fails-provider_client_error", input: "Hi" });
  await row.getByText("failed last").waitFor();
  await row.getByText("provider_client_error: 1").waitFor();
  await open(page, "Models");
  const models = page.getByRole("table", { name: "Models" });
  await models
    .getByRole("row", { name: /fails-provider_client_error/ })
    .getByText("failed last")
    .waitFor();
  await open(page, "Service");
  await openTab(page, "Nodes");
  await page.waitForURL(/[?&]tab=nodes/);
  await page.getByText("one process serves on it").waitFor();
  // The stage has an embedded database; test/nodes has the list of real nodes.
  const node = { version: "9.8.7", running_turns: 3, started_at: 1, lease_until: 2, gone_at: null };
  const data = [
    { ...node, id: 1, name: "one:1", state: "draining" },
    { ...node, id: 2, name: "two:1", state: "gone", gone_at: 2 },
    // Its lease is over, and no other node has noticed yet.
    { ...node, id: 3, name: "three:1", state: "gone", lease_until: Math.floor(Date.now() / 1000) - 125 },
  ];
  await page.route("**/manage/api/nodes", (route) =>
    route.fulfill({ json: { data, this_process: { name: "one:1", version: "9.8.7" } } }),
  );
  const nodes = page.getByRole("table", { name: "Nodes" });
  await nodes.getByRole("row", { name: /^one:1 9\.8\.7 draining 3/ }).waitFor();
  await nodes.getByRole("row", { name: /^two:1 9\.8\.7 gone/ }).waitFor();
  await nodes.getByRole("row", { name: /^three:1 9\.8\.7 gone 3 .* 2 min(utes)? ago 2 min(utes)? ago$/ }).waitFor();
  await visit.look("nodes");
  await openTab(page, "Providers");
  await visit.look("a provider that failed");
  await openTab(page, "Configuration");
  const configuration = page.getByRole("table", { name: "Configuration" });
  await configuration.getByRole("row", { name: "limits.drain_seconds 30", exact: true }).waitFor();
  await configuration.getByRole("row", { name: "store.root_secret set", exact: true }).waitFor();
  assert.doesNotMatch(await page.content(), /a root secret for tests/);
});

test("the providers are checked by keyboard, with a row for each key", NEEDS_BROWSER, async () => {
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  await open(page, "Service");
  await openTab(page, "Providers");
  const button = page.getByRole("button", { name: "Check the providers" });
  const table = page.getByRole("table", { name: "Check of the providers" });
  const busy = page.getByText("Asking the providers.");

  // The reply waits until the busy state was seen.
  const { promise: isSeen, resolve: onSeen } = Promise.withResolvers<void>();
  await page.route("**/manage/api/providers/check", async (route) => {
    await isSeen;
    await route.continue();
  });
  await button.focus();
  await page.keyboard.press("Enter");
  await busy.waitFor();
  await visit.look("providers that are being checked");
  onSeen();
  await table.getByRole("row", { name: /^acme \(openai-compatible\), key 1 works .*the key works \d+ ms$/ }).waitFor();
  await table
    .getByRole("row", { name: /^acme \(openai-compatible\), key 2 fails .*rejects the key of acme/ })
    .waitFor();
  await table.getByRole("row", { name: /^simulated works built in/ }).waitFor();
  await page.getByText("1 of 3 do not work").waitFor();
  assert.equal(await busy.count(), 0);
  assert.doesNotMatch(await page.content(), /CANARY/);
  // The button still has the focus, so that Enter checks once more.
  assert.ok(await button.evaluate((element) => element === element.ownerDocument.activeElement));
  await visit.look("checked providers");

  await page.unroute("**/manage/api/providers/check");
  for (let left = PROVIDER_CHECKS_PER_MINUTE; left > 0; left--)
    await stage()
      .service.ask("POST", "/providers/check")
      .catch(() => {});
  await page.keyboard.press("Enter");
  await page
    .getByRole("alert")
    .getByText(/^The providers are checked 6 times a minute at most/)
    .waitFor();
  assert.equal(await table.count(), 0);
  await visit.look("a check too many");

  await page.route("**/manage/api/providers/check", (route) => route.fulfill({ json: { checked_at: 1, data: [] } }));
  await button.click();
  await page.getByText("No providers to check").waitFor();
  await visit.look("no provider to check");
});
