// The conversations of a key, for its holder.
import { test } from "node:test";
import { PRICED } from "./app-service.ts";
import { responseOf, sendMessage } from "./chat.ts";
import { heading, NEEDS_BROWSER, open, openTab, shareStage, visitAs } from "./stage.ts";
import { openVisit } from "./visit.ts";

const stage = shareStage();

test(
  "the holder of a key finds a conversation by its first words and opens it in the playground",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    const response = await fetch(`${service.origin}/v1/conversations`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      body: "{}",
    });
    const { id } = (await response.json()) as { id: string };
    await service.create(service.key, { model: PRICED, input: "What is a gateway?", conversation: id });
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    await open(page, "Playground");
    await page.getByLabel("API key").fill(service.key);
    await page.getByRole("button", { name: "Use the key" }).click();
    await page.getByRole("link", { name: "Usage of the key" }).click();
    const table = page.getByRole("table", { name: "Conversations" });
    await table.getByRole("row", { name: /What is a gateway\?/ }).waitFor();
    await visit.look("the conversations of a key");
    await table.getByRole("link", { name: "What is a gateway?" }).click();
    await heading(page, "Playground");
    await page.getByRole("article").getByText("What is a gateway?").first().waitFor();
    await page.waitForURL((url) => url.searchParams.get("conversation") === id);

    // So does a holder without an account, who finds the way back.
    await using holder = await openVisit(stage().browser, service.origin);
    await holder.page.goto(`${service.origin}/key`);
    await holder.page.getByLabel("API key").fill(service.key);
    await holder.page.getByRole("button", { name: "Use the key" }).click();
    await holder.page.getByRole("link", { name: "What is a gateway?" }).click();
    await heading(holder.page, "Playground");
    await sendMessage(holder.page, "And a proxy?");
    await responseOf(holder.page, 2).getByText("completed").waitFor();
    await openTab(holder.page, "Code");
    await holder.page.getByTestId("code").getByText(`${service.baseUrl}/responses`).waitFor();
    await holder.look("the playground without an account");
    await holder.page.getByRole("navigation").getByRole("link", { name: "Usage of a key" }).click();
    await heading(holder.page, "Usage of a key");
    await holder.page.getByRole("navigation").getByRole("link", { name: "Sign in" }).click();
    await heading(holder.page, "Sign in");
  },
);
