// What an operator sees of providers and of the configuration.
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
  await visit.look("a provider that failed");
  const configuration = page.getByRole("table", { name: "Configuration" });
  await configuration.getByRole("row", { name: "limits.drain_seconds 30", exact: true }).waitFor();
  await configuration.getByRole("row", { name: "store.root_secret set", exact: true }).waitFor();
  assert.doesNotMatch(await page.content(), /a root secret for tests/);
});
