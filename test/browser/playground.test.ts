// The playground as a chat: Markdown that cannot run, a transcript after a reload, its keys and its branches.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { focusIs } from "./keyboard.ts";
import { NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";

const stage = shareStage();

async function useKey(page: Page, model: string): Promise<void> {
  await open(page, "Playground");
  await page.getByLabel("API key").fill(stage().service.key);
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByLabel("Model").selectOption(model);
  await page.getByLabel("Message").waitFor();
}

const turn = (page: Page, id: number) => page.getByRole("article", { name: `Turn ${id}`, exact: true });

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
    await useKey(page, "simulated/echo");
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

test("a reload brings the transcript back from the service, and it goes on", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "chat@acme.test");
  const { page } = visit;
  await useKey(page, "simulated/echo");
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
  await page.getByLabel("Model").selectOption("simulated/echo");
  await send(page, 3, "/history");
  assert.match((await turn(page, 3).textContent()) ?? "", /My name is Ada\.[^]*I live in Paris/);
});

test("Enter sends, Shift+Enter begins a line, Escape stops", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "chat@acme.test");
  const { page } = visit;
  const { keyboard } = page;
  await useKey(page, "simulated/echo");
  await page.getByLabel("Message").focus();
  await keyboard.type("/say before");
  await keyboard.press("Shift+Enter");
  await keyboard.type("/hang");
  assert.equal(await page.getByLabel("Message").inputValue(), "/say before\n/hang");
  await keyboard.press("Enter");
  await turn(page, 1).getByText("before", { exact: true }).waitFor();
  await focusIs(page, "Message *");
  await keyboard.press("Escape");
  await turn(page, 1).getByText("cancelled").waitFor();
});

test("a click goes from a branch to the one beside it, and back", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "chat@acme.test");
  const { page } = visit;
  await useKey(page, "simulated/echo");
  await send(page, 1, "the trunk");
  await send(page, 2, "the first branch");
  await page.getByRole("button", { name: "Branch from here: turn 1" }).click();
  await send(page, 3, "the second branch");
  await turn(page, 3).getByRole("group", { name: "Branch 2 of 2" }).waitFor();
  await page.getByRole("button", { name: "Previous branch of turn 3" }).click();
  await turn(page, 2).getByText("the first branch").first().waitFor();
  assert.equal(await turn(page, 3).count(), 0);
  await page.getByRole("button", { name: "Next branch of turn 2" }).click();
  await turn(page, 3).getByText("the second branch").first().waitFor();
  await visit.look("a chat with branches");

  // A branch is a conversation, which begins with what was said before it.
  await page.reload();
  await turn(page, 2).getByText("the second branch").first().waitFor();
  assert.equal(await turn(page, 1).locator(".turn-sent").getByText("the trunk").count(), 1);
  assert.equal(await page.getByText("the first branch").count(), 0);
  // So is one from a message that was read back.
  await page.getByRole("button", { name: "Branch from here: turn 1" }).click();
  await turn(page, 2).waitFor({ state: "detached" });
  await send(page, 3, "/history");
  assert.match((await turn(page, 3).textContent()) ?? "", /the trunk/);
  assert.doesNotMatch((await turn(page, 3).textContent()) ?? "", /branch/);
  await page.reload();
  await turn(page, 2).getByText("/history").first().waitFor();
});
