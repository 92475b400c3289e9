// A second model beside the first: one message to both, and each its own responses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICED } from "./app-service.ts";
import { responseOf, sendMessage, useKey } from "./chat.ts";
import { NEEDS_BROWSER, openTab, shareStage, visitAs } from "./stage.ts";

const stage = shareStage();

test("two models get one message, go on from what was said, and are there after a reload", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "chat@acme.test");
  const { page } = visit;
  const first = page.getByRole("region", { name: "Chat", exact: true });
  const second = page.getByRole("region", { name: "Second chat" });
  await useKey(page, stage().service.key, "simulated/echo");
  await sendMessage(page, "My name is Ada.");
  await responseOf(first, 1).getByText("completed").waitFor();

  await page.getByRole("button", { name: "Compare with a second model" }).click();
  await page.getByLabel("Second model").selectOption(PRICED);
  // Both have what was said before.
  await responseOf(second, 1).getByText("My name is Ada.").first().waitFor();
  const sent: { model: string; conversation: string }[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/v1/responses")) sent.push(request.postDataJSON());
  });
  await sendMessage(page, "/history");
  for (const [chat, model] of [
    [first, "simulated/echo"],
    [second, PRICED],
  ] as const) {
    await responseOf(chat, 2).getByText("completed").waitFor();
    await responseOf(chat, 2).getByText(model, { exact: true }).waitFor();
    assert.match((await responseOf(chat, 2).textContent()) ?? "", /My name is Ada/);
  }
  assert.deepEqual(sent.map(({ model }) => model).toSorted(), ["simulated/echo", PRICED].toSorted());
  // Each has a conversation of its own.
  assert.equal(new Set(sent.map(({ conversation }) => conversation)).size, 2);
  await visit.look("two models");
  await page.getByRole("button", { name: "Wire of response 2" }).nth(1).click();
  await page.getByRole("tab", { name: "Request" }).click();
  assert.ok((await page.getByTestId("request").textContent())?.includes(PRICED));
  await openTab(page, "Conversation");
  await visit.look("the conversations of two models");

  await page.reload();
  for (const chat of [first, second]) await responseOf(chat, 2).getByText("read back").waitFor();
  assert.equal(await page.getByLabel("Second model").inputValue(), PRICED);
  // A model that is rejected stands alone; the other one goes on, and then that one too.
  await page.route("**/v1/responses", async (route) => {
    const isSecond = (route.request().postDataJSON() as { model: string }).model === PRICED;
    await (isSecond ? route.fulfill({ status: 503, body: "{}" }) : route.continue());
  });
  await sendMessage(page, "And now?");
  await responseOf(first, 3).getByText("completed").waitFor();
  await responseOf(second, 3).getByRole("alert").waitFor();
  await page.unroute("**/v1/responses");
  await second.getByRole("button", { name: "Send again: response 3" }).click();
  await responseOf(second, 4).getByText("completed").waitFor();
  await second.getByRole("button", { name: "Remove" }).click();
  await page.waitForURL((url) => !url.search.includes("beside"));
});
