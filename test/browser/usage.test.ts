// Usage: by two groups and a time, of an organization and of all; its numbers lead to the turns behind them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Page } from "playwright-core";
import { PRICED } from "./app-service.ts";
import { press } from "./keyboard.ts";
import { heading, NEEDS_BROWSER, open, shareStage, visitAs, visitAsOperator } from "./stage.ts";

const stage = shareStage();

const totals = (page: Page) => page.getByRole("table", { name: "Usage" }).locator("tfoot .number").allTextContents();
const turns = (page: Page) => page.getByRole("table", { name: "Responses" }).locator("tbody tr");

test(
  "usage by model, key and hour adds up, has a chart, and its numbers lead to their turns and on to usage",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    await service.create(service.key, { model: PRICED, input: "one" });
    await service.create(service.key, { model: PRICED, input: "two" });
    await service.create(service.key, { model: "simulated/echo", input: "three" });
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    // The cards of the overview lead to their turns too.
    await page
      .getByRole("link", { name: /^3, the responses of spent today$/ })
      .first()
      .click();
    await heading(page, "Responses");
    await turns(page).nth(2).waitFor();

    // Their time goes along.
    await open(page, "Usage");
    await page.getByText("by days of America/New_York").waitFor();
    await page.getByLabel("And by", { exact: true }).selectOption("key");
    await page.waitForURL(/[?&]and=key/);
    await page.getByLabel("Every", { exact: true }).selectOption("hour");
    await page.waitForURL(/[?&]every=hour/);
    await page.getByRole("img", { name: /^Credits by hour from / }).waitFor();
    await page
      .getByRole("list", { name: "Legend" })
      .getByText(/^simulated\/priced · first key/)
      .waitFor();
    await page.getByRole("columnheader", { name: "Hour" }).waitFor();
    assert.equal((await totals(page))[0], "3");
    await visit.look("usage by hour");
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByLabel("Model", { exact: true }).selectOption(PRICED);
    await page.waitForURL(/[?&]model=simulated/);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: `Model: ${PRICED}` }).waitFor();
    await visit.look("usage with a filter");
    await page.getByRole("cell", { name: "simulated/echo" }).waitFor({ state: "detached" });
    await page.getByRole("table", { name: "Usage" }).locator("tfoot").getByText("2", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "2, the responses of all", exact: true }).first().click();
    await heading(page, "Responses");
    await page.waitForURL(/[?&]from=\d{4}-\d{2}-\d{2}T\d{2}%3A00Z/);
    await turns(page).nth(1).waitFor();
    assert.equal(await turns(page).count(), 2);
    await page.getByRole("img", { name: /^Responses by hour and model/ }).waitFor();
    await page.getByRole("link", { name: "Usage of these filters" }).click();
    await heading(page, "Usage");
    await page.getByRole("button", { name: "Remove the filter Model" }).click();
    await page.waitForURL((url) => !url.searchParams.has("model"));
    // The days of a word, by keyboard alone.
    await press(page, /^Time: /);
    await press(page, "last month");
    await page.getByRole("button", { name: "Time: last month" }).waitFor();
    await page.getByText("No usage in these days").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByLabel("Key", { exact: true }).selectOption("first key");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByRole("button", { name: "Filters (1)", exact: true }).waitFor();
    await page.getByRole("table", { name: "Usage" }).waitFor();
  },
);

test(
  "an operator sees the usage of all organizations, and the responses of each behind it",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    await service.create(service.key, { model: "simulated/caches", input: "four" });
    await using visit = await visitAsOperator(stage());
    const { page } = visit;
    await page.getByRole("navigation").getByRole("link", { name: "Usage of all", exact: true }).click();
    await heading(page, "Usage of all organizations");
    await page.getByRole("cell", { name: "default", exact: true }).first().waitFor();
    await page.getByLabel("By", { exact: true }).selectOption("model");
    await page.waitForURL(/[?&]by=model/);
    await page
      .getByRole("link", { name: /the organizations of simulated\/caches/ })
      .first()
      .click();
    await page.waitForURL(/[?&]model=simulated/);
    await page
      .getByRole("link", { name: /^1, the responses of default$/ })
      .first()
      .click();
    await heading(page, "Responses");
    await turns(page).filter({ hasText: "simulated/caches" }).waitFor();
  },
);
