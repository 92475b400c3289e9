// What went wrong: one list, and a failed request that is explained from its id in two clicks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { PRICED } from "./app-service.ts";
import { addFilter, heading, NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";

const stage = shareStage();

test(
  "a failed request is explained from its id in two clicks, whether it failed before or after its response began",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    const { organizationId } = service;
    const send = async (body: object): Promise<string> => {
      const response = await fetch(`${service.origin}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      await response.text();
      return response.headers.get("x-request-id") ?? "";
    };
    const rejected = await send({ model: "simulated/none", input: "Hi" });
    const failed = await send({ model: PRICED, input: "/fail provider_client_error" });
    const kept = async () =>
      (await service.ask("GET", `/organizations/${organizationId}/errors`)).data as readonly object[];
    await until("both errors", async () => (await kept()).length === 2);

    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    let clicks = 0;
    const click = async (what: ReturnType<typeof page.getByRole>) => {
      clicks++;
      await what.click();
    };
    const startedMs = performance.now();
    // One click opens the search, the other what it found.
    await click(page.getByRole("button", { name: /^Search/ }).first());
    await page.getByRole("combobox").fill(failed);
    await click(page.getByRole("option").filter({ hasText: "Response" }).first());
    await page.getByText("The model's provider rejected the request.").waitFor();
    await page.getByRole("link", { name: "Read them with the key that made it" }).waitFor();
    assert.equal(clicks, 2);
    assert.ok(performance.now() - startedMs < 20_000);
    await page.getByText(failed).waitFor();

    clicks = 0;
    await click(page.getByRole("button", { name: /^Search/ }).first());
    await page.getByRole("combobox").fill(rejected);
    await click(page.getByRole("option").filter({ hasText: "Rejected request" }).first());
    await page.getByText("The request is not valid;").first().waitFor();
    // Money and limits have nothing to do with it.
    assert.equal(await page.getByText(/^Now: /).count(), 0);
    assert.equal(clicks, 2);

    await open(page, "Errors");
    const table = page.getByRole("table", { name: "Errors", exact: true });
    await table.getByText("provider_client_error").waitFor();
    await table.getByText("invalid_input").waitFor();
    await page.getByRole("table", { name: "2 failed in the last 24 hours" }).waitFor();
    await visit.look("the errors");
    await addFilter(page);
    await page.getByLabel("Code", { exact: true }).selectOption("invalid_input");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Code: invalid_input" }).waitFor();
    await table.getByText("provider_client_error").waitFor({ state: "detached" });
    await page.waitForURL(/[?&]code=invalid_input/);

    // The time is a filter too, by its name; filters go along to other screens.
    await page.getByRole("button", { name: "Time: any time" }).click();
    await page.getByRole("button", { name: "the last hour", exact: true }).click();
    await page.waitForURL(/[?&]range=the/);
    await page.getByRole("button", { name: "Time: the last hour" }).waitFor();
    await table.getByText("invalid_input").waitFor();
    await open(page, "Responses");
    await page.getByRole("button", { name: "Time: the last hour" }).waitFor();
    await open(page, "Usage");
    await page.getByRole("button", { name: "Time: today" }).waitFor();
    await open(page, "Errors");
    await page.getByRole("button", { name: "Time: today" }).waitFor();

    // The id of a request that made a response leads to it from here, too.
    await page.getByLabel("Request id").fill(failed);
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("This request made a response").waitFor();

    await open(page, "Overview");
    await page.getByText("Failures in 24 hours").waitFor();
    await page.getByRole("link", { name: "2, the errors behind all failures" }).click();
    await heading(page, "Errors");
  },
);

test("what was left out of a list or a sum is said beside it", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  const change = (path: string, changed: (json: { data: object[] }) => object) =>
    page.route(`**/manage/api/**/${path}*`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: changed(await response.json()) });
    });
  await change("errors", ({ data, ...others }) => ({
    ...others,
    data: data.map((entry) => ({ ...entry, skipped: 1980 })),
  }));
  await change("failures", (sums) => ({ ...sums, read_from: 1_763_900_000 }));
  await open(page, "Errors");
  await page.getByText("Before it, 1,980 more rejected requests of the key were left out.").first().waitFor();
  await page.getByText(/^Counted since .*23 Nov 2025.* only/).waitFor();
  await page.getByRole("table", { name: /failed since 23 Nov 2025/ }).waitFor();
  await visit.look("errors of which some were left out");
  await open(page, "Overview");
  await page.getByText("More failures than are counted").waitFor();
});
