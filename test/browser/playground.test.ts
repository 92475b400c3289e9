// The playground as a chat: Markdown that cannot run, a transcript after a reload, its keys and its branches.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { PRICED } from "./app-service.ts";
import { responseOf as turn, sendMessage, useKey } from "./chat.ts";
import { focusIs } from "./keyboard.ts";
import { NEEDS_BROWSER, openTab, shareStage, visitAs } from "./stage.ts";

const stage = shareStage();

async function send(page: Page, id: number, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByLabel("Message").press("Enter");
  await turn(page, id).getByText("completed").waitFor();
}

/** What a hostile model would write. */
const ATTACKS = [
  "[click](javascript:window.hacked=1)",
  "[click](JaVaScRiPt:window.hacked=1)",
  "[click](data:text/html,<script>window.hacked=1</script>)",
  "[click](//evil.test/x)",
  "![pixel](https://evil.test/pixel.png)",
  "![pixel](javascript:window.hacked=1)",
  "<img src=https://evil.test/p.png onerror=window.hacked=1>",
  "<script>window.hacked=1</script> <iframe src=https://evil.test></iframe>",
  "<a href='javascript:window.hacked=1'>x</a> <svg onload=window.hacked=1>",
  "`<img src=x onerror=window.hacked=1>`",
  "[**bold** <b onclick=window.hacked=1>x</b>](https://safe.test/?q=<script>)",
  "[x](https://safe.test/path)",
];

test(
  "Markdown is shown, and nothing of it runs, is fetched or leads elsewhere than it says",
  NEEDS_BROWSER,
  async () => {
    // The visit fails if anything of another origin is asked, or the policy had to stop something.
    await using visit = await visitAs(stage(), "chat@acme.test");
    const { page } = visit;
    await useKey(page, stage().service.key, "simulated/echo");
    await send(page, 1, ATTACKS.join("\n\n"));
    const answer = turn(page, 1).locator(".markdown");
    await answer.first().waitFor();
    const made = await page.evaluate(`[
    window.hacked ?? null,
    document.querySelectorAll(".markdown :is(img, script, iframe, svg, style, form, [onerror], [onclick], [onload])").length,
  ]`);
    assert.deepEqual(made, [null, 0]);
    const links = (await page.evaluate(`[...document.querySelectorAll(".markdown a")]
    .map(({ href, rel, target }) => ({ href, rel, target }))`)) as { href: string; rel: string; target: string }[];
    assert.ok(links.length >= 2, JSON.stringify(links));
    for (const { href, rel, target } of links) {
      assert.match(href, /^https:\/\/(safe|evil)\.test\//);
      assert.match(rel, /\bnoopener\b.*\bnoreferrer\b/);
      assert.equal(target, "_blank");
    }
    await send(page, 2, "# Plan\n\n- **one**\n- `two`");
    const plan = turn(page, 2).locator(".markdown");
    await plan.locator("li strong", { hasText: "one" }).waitFor();
    await plan.locator("li code", { hasText: "two" }).waitFor();
    await visit.look("a chat with Markdown");
  },
);

test("a reload brings the transcript and its model back, and it goes on", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "chat@acme.test");
  const { page } = visit;
  await useKey(page, stage().service.key, PRICED);
  await send(page, 1, "My name is Ada.");
  await send(page, 2, "And I live in Paris.");
  await page.waitForURL(/[?&]conversation=conv_/);
  await page.reload();
  await turn(page, 2).getByText("And I live in Paris.").first().waitFor();
  assert.equal(await turn(page, 1).locator(".turn-sent").getByText("My name is Ada.").count(), 1);
  await turn(page, 2).getByText("read back").waitFor();
  // The texts are in no storage of the browser.
  const stored = String(await page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])"));
  assert.doesNotMatch(stored, /Ada|Paris|conv_/);
  assert.equal(await page.getByLabel("Model").inputValue(), PRICED);
  await send(page, 3, "/history");
  assert.match((await turn(page, 3).textContent()) ?? "", /My name is Ada\.[^]*I live in Paris/);
  // A link to the conversation alone goes on with the model that it had.
  const address = new URL(page.url());
  address.searchParams.delete("model");
  await page.goto(address.href);
  await turn(page, 3).getByText("read back").waitFor();
  assert.equal(await page.getByLabel("Model").inputValue(), "");
  await send(page, 4, "Still there?");
  await turn(page, 4).getByText(PRICED).waitFor();
  assert.equal(await page.getByLabel("Model").inputValue(), PRICED);
});

test("Enter sends, Shift+Enter begins a line, Escape stops", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "chat@acme.test");
  const { page } = visit;
  const { keyboard } = page;
  await useKey(page, stage().service.key, "simulated/echo");
  await page.getByLabel("Message").focus();
  await keyboard.type("/say before");
  await keyboard.press("Shift+Enter");
  await keyboard.type("/hang");
  assert.equal(await page.getByLabel("Message").inputValue(), "/say before\n/hang");
  await keyboard.press("Enter");
  await turn(page, 1).getByText("before", { exact: true }).waitFor();
  await focusIs(page, "Message");
  await keyboard.press("Escape");
  await turn(page, 1).getByText("cancelled").waitFor();
});

test("a click goes from a branch to the one beside it, and back", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "chat@acme.test");
  const { page } = visit;
  await useKey(page, stage().service.key, "simulated/echo");
  await send(page, 1, "the trunk");
  await send(page, 2, "the first branch");
  await page.getByRole("button", { name: "Branch from here: response 1" }).click();
  await send(page, 3, "the second branch");
  await turn(page, 3).getByRole("group", { name: "Branch 2 of 2" }).waitFor();
  await page.getByRole("button", { name: "Previous branch of response 3" }).click();
  await turn(page, 2).getByText("the first branch").first().waitFor();
  assert.equal(await turn(page, 3).count(), 0);
  await page.getByRole("button", { name: "Next branch of response 2" }).click();
  await turn(page, 3).getByText("the second branch").first().waitFor();
  await visit.look("a chat with branches");
  // The tree has all of them.
  await openTab(page, "Branches");
  const tree = page.getByRole("navigation", { name: "Branches" });
  await tree.getByRole("button", { name: "2 the first branch" }).click();
  await turn(page, 2).waitFor();
  assert.equal(await turn(page, 3).count(), 0);
  await visit.look("the tree of branches");
  await tree.getByRole("button", { name: "3 the second branch" }).click();
  await turn(page, 3).waitFor();

  // A branch is a conversation, which begins with what was said before it.
  await page.reload();
  await turn(page, 2).getByText("the second branch").first().waitFor();
  assert.equal(await turn(page, 1).locator(".turn-sent").getByText("the trunk").count(), 1);
  assert.equal(await page.getByText("the first branch").count(), 0);
  // So is one from a message that was read back.
  await page.getByRole("button", { name: "Branch from here: response 1" }).click();
  await turn(page, 2).waitFor({ state: "detached" });
  await send(page, 3, "/history");
  assert.match((await turn(page, 3).textContent()) ?? "", /the trunk/);
  assert.doesNotMatch((await turn(page, 3).textContent()) ?? "", /branch/);
  await page.reload();
  await turn(page, 2).getByText("/history").first().waitFor();
});

/** Lets the next create be rejected because too many were made. */
async function rejectNext(page: Page): Promise<void> {
  const error = { message: "Too many.", type: "rate_limit_error", code: "rate_limit_exceeded", param: null };
  const answer = { status: 429, contentType: "application/json", body: JSON.stringify({ error }) };
  await page.route("**/v1/responses", (route) => route.fulfill(answer), { times: 1 });
}

test("what was typed stays until the service has it, and is sent again with one press", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "chat@acme.test");
  const { page } = visit;
  await useKey(page, stage().service.key, "simulated/calls-tools");
  await rejectNext(page);
  await openTab(page, "Settings");
  await page.getByRole("button", { name: "Put in an example tool" }).click();
  await sendMessage(page, "Weather in Paris?");
  await turn(page, 1).getByRole("alert").getByText("rate_limit_exceeded").waitFor();
  assert.equal(await page.getByLabel("Message").inputValue(), "Weather in Paris?");
  await page.getByRole("button", { name: "Send again: response 1" }).click();
  // It takes the place of the one that was rejected.
  await turn(page, 2).getByText("completed").waitFor();
  assert.equal(await page.getByRole("article").count(), 1);
  assert.equal(await page.getByLabel("Message").inputValue(), "");

  await page.getByLabel("Output of get_weather").fill("sunny, 24 degrees");
  await rejectNext(page);
  await page.getByRole("button", { name: "Send the outputs" }).click();
  await turn(page, 3).getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Output of get_weather").inputValue(), "sunny, 24 degrees");
  await visit.look("outputs that were rejected");
  await page.getByRole("button", { name: "Send the outputs" }).click();
  await turn(page, 4).getByText("get_weather returned: sunny, 24 degrees").waitFor();
  assert.equal(await page.getByLabel("Output of get_weather").count(), 0);
  assert.equal(await page.getByRole("article").count(), 2);
});

test("on a phone a press on Wire shows the wire", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "chat@acme.test");
  const { page } = visit;
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${stage().service.origin}/playground`);
  await page.getByLabel("API key").fill(stage().service.key);
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByLabel("Model").selectOption("simulated/echo");
  await sendMessage(page, Array.from({ length: 40 }, (_, line) => `line ${line}`).join("\n\n"));
  await turn(page, 1).getByText("completed").waitFor();
  const isVisible = async () => {
    const box = await page.getByRole("heading", { name: "The wire of response 1" }).boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= 800;
  };
  await page.evaluate("window.scrollTo(0, 0)");
  assert.equal(await isVisible(), false);
  await page.getByRole("button", { name: "Wire of response 1" }).click();
  await page.waitForFunction("window.scrollY > 0");
  assert.equal(await isVisible(), true);
});
