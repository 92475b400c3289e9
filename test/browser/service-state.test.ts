// What an operator sees of nodes, providers and the configuration.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NEEDS_BROWSER, open, shareStage, visitAsOperator } from "./stage.ts";

const stage = shareStage();

test("a provider is shown as it did last, and the configuration without a secret", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  await open(page, "Service");
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
  await page.getByText("one process serves on it").waitFor();
  // The stage has an embedded database; test/nodes has the list of real nodes.
  const node = { version: "9.8.7", running_turns: 3, started_at: 1, lease_until: 2, gone_at: null };
  const data = [
    { ...node, id: 1, name: "one:1", state: "draining" },
    { ...node, id: 2, name: "two:1", state: "gone", gone_at: 2 },
  ];
  await page.route("**/manage/api/nodes", (route) =>
    route.fulfill({ json: { data, this_process: { name: "one:1", version: "9.8.7" } } }),
  );
  const nodes = page.getByRole("table", { name: "Nodes" });
  await nodes.getByRole("row", { name: /^one:1 9\.8\.7 draining 3/ }).waitFor();
  await nodes.getByRole("row", { name: /^two:1 9\.8\.7 gone/ }).waitFor();
  await visit.look("a provider that failed, and nodes");
  const configuration = page.getByRole("table", { name: "Configuration" });
  await configuration.getByRole("row", { name: "limits.drain_seconds 30", exact: true }).waitFor();
  await configuration.getByRole("row", { name: "store.root_secret set", exact: true }).waitFor();
  assert.doesNotMatch(await page.content(), /a root secret for tests/);
});
