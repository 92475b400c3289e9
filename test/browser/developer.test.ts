// A developer with a key: stream, tool loop, branch, cancel, and the request as curl, which is run.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { responseOf as turn, sendMessage as send, useKey } from "./chat.ts";
import { heading, openTab, visitAs, NEEDS_BROWSER, shareStage, signOut } from "./stage.ts";

/** Where the copied program finds its packages. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const stage = shareStage();

test("turns stream, continue one another and branch; the copied curl and JavaScript work", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAs(stage(), "dev@acme.test");
  const { page } = visit;
  await useKey(page, service.key, "simulated/echo");
  await send(page, "My name is Ada.");
  await turn(page, 1).getByText("completed").waitFor();
  await send(page, "/history");
  await turn(page, 2).getByText("completed").waitFor();
  assert.match((await turn(page, 2).textContent()) ?? "", /My name is Ada\./);

  await page.getByRole("button", { name: "Branch from here: response 1" }).click();
  await turn(page, 2).waitFor({ state: "detached" });
  await page.getByRole("group", { name: "Branches from here" }).getByRole("button", { name: "response 2" }).waitFor();
  await send(page, "/history");
  await turn(page, 3).getByText("completed").waitFor();
  // The branch knows the first turn, and not the second.
  const branch = (await turn(page, 3).textContent()) ?? "";
  assert.match(branch, /My name is Ada\./);
  assert.equal(branch.match(/\/history/g)?.length, 2, branch);

  await page.getByRole("button", { name: "Wire of response 1" }).click();
  await page.getByRole("tab", { name: "Events" }).click();
  const events = (await page.getByTestId("events").textContent()) ?? "";
  assert.match(events, /^ +\d+ ms +\d+ B {2}\{"type":"response\.created"/);
  assert.match(events, /"response\.completed"/);
  await page.getByLabel("Filter the events").fill("RESPONSE.CREATED");
  await page.getByText(/^1 of \d+ events, \d+ bytes$/).waitFor();
  assert.doesNotMatch((await page.getByTestId("events").textContent()) ?? "", /response\.completed/);
  await page.getByRole("tab", { name: "Request" }).click();
  const sent = JSON.parse((await page.getByTestId("request").textContent()) ?? "");
  assert.equal(sent.input, "My name is Ada.");
  await page.getByRole("tab", { name: "Response" }).click();
  await page.getByTestId("response").getByText('"status": "completed"').first().waitFor();
  await page.getByRole("tab", { name: "Code" }).click();
  // What the button copies is what is shown, and it runs.
  await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
  const command = String(await page.evaluate("navigator.clipboard.readText()"));
  assert.equal(command, await page.getByTestId("code").textContent());
  assert.ok(command.includes(`${service.baseUrl}/responses`) && command.includes("Idempotency-Key: "), command);
  const env = { ...process.env, API_KEY: service.key };
  const curl = await promisify(execFile)("sh", ["-c", `${command} -s`], { env });
  assert.match(curl.stdout, /event: response\.completed/);
  await page.getByLabel("Copy as").selectOption("JavaScript");
  const program = (await page.getByTestId("code").textContent()) ?? "";
  const node = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env, cwd: ROOT });
  assert.match(node.stdout, /type: 'response\.completed'/);
  await visit.look("playground");
});

test("a tool is called, its output is entered, and the reply quotes it", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "dev@acme.test");
  const { page } = visit;
  await useKey(page, stage().service.key, "simulated/calls-tools");
  await openTab(page, "Settings");
  await page.getByRole("button", { name: "Put in an example tool" }).click();
  await send(page, "Weather in Paris?");
  await page.getByLabel("Output of get_weather").fill("sunny, 24 degrees");
  await page.getByRole("button", { name: "Send the outputs" }).click();
  await turn(page, 2).getByText("completed").waitFor();
  assert.match((await turn(page, 2).textContent()) ?? "", /get_weather returned: sunny, 24 degrees/);
});

test(
  "a running turn is stopped, a refusal and an error are shown, and a message after an error goes on",
  NEEDS_BROWSER,
  async () => {
    await using visit = await visitAs(stage(), "dev@acme.test");
    const { page } = visit;
    await useKey(page, stage().service.key, "simulated/echo");
    await send(page, "/say before\n/hang");
    await turn(page, 1).getByText("before", { exact: true }).waitFor();
    await turn(page, 1).getByRole("button", { name: "Stop" }).click();
    await turn(page, 1).getByText("cancelled").waitFor();
    await send(page, "/refuse I will not");
    await turn(page, 2)
      .getByText(/^refusal I will not$/)
      .waitFor();
    await openTab(page, "Settings");
    await page.getByLabel("temperature").fill("9");
    await send(page, "Hello");
    await turn(page, 3).getByRole("alert").getByText("invalid_input").waitFor();
    await turn(page, 3).getByText(/req_/).waitFor();
    await page.getByLabel("temperature").fill("");
    await send(page, "Still there?");
    await turn(page, 4).getByText("completed").waitFor();
  },
);

test(
  "a model's settings are offered as it supports them, reasoning is shown, and a schema is kept",
  NEEDS_BROWSER,
  async () => {
    await using visit = await visitAs(stage(), "dev@acme.test");
    const { page } = visit;
    await useKey(page, stage().service.key, "simulated/group-a");
    await openTab(page, "Settings");
    for (const [label, isOffered] of [
      ["temperature", false],
      ["text.verbosity", false],
      ["parallel_tool_calls", true],
      ["text.format.schema", true],
    ] as const) {
      assert.equal(await page.getByLabel(label).isEnabled(), isOffered, label);
    }
    await page
      .getByLabel("text.format.schema")
      .fill('{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}');
    await send(page, "/reason It asks for a city.\n/json");
    await turn(page, 1).getByText('{"city":"text"}').waitFor();
    // The reasoning is folded.
    await turn(page, 1).getByText("Reasoning", { exact: true }).click();
    await turn(page, 1).getByText("It asks for a city.", { exact: true }).waitFor();
    await send(page, "/say no JSON");
    await turn(page, 2).getByText("output_not_valid").waitFor();
    // While the turn runs, what is whole is shown already.
    await page.getByLabel("text.format.schema").fill("");
    await send(page, "/reason First I think.\n/say Then I speak.\n/hang");
    await turn(page, 3).getByText("Reasoning", { exact: true }).click();
    await turn(page, 3).getByText("First I think.", { exact: true }).waitFor();
    await turn(page, 3).getByText("Then I speak.", { exact: true }).waitFor();
    await turn(page, 3).getByRole("button", { name: "Stop" }).click();
    await turn(page, 3).getByText("cancelled").waitFor();
  },
);

test("a conversation keeps its items, which are added, listed and deleted", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "dev@acme.test");
  const { page } = visit;
  await useKey(page, stage().service.key, "simulated/echo");
  await openTab(page, "Conversation");
  await page.getByRole("button", { name: "Start a conversation" }).click();
  await page.getByText("Items, newest first").click();
  await page.getByText("No item yet.").waitFor();
  await send(page, "Hello there");
  await turn(page, 1).getByText("completed").waitFor();
  await page
    .getByRole("button", { name: /^Delete the item msg_/ })
    .nth(1)
    .waitFor();
  await page.getByRole("button", { name: "Add a message" }).click();
  await page.getByLabel("Text").fill("one by hand");
  await page.getByRole("button", { name: "Add the message" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText("one by hand").waitFor();
  // A branch leaves the conversation, whose turns follow one another.
  await send(page, "Still there?");
  await turn(page, 2).getByText("completed").waitFor();
  const id = (await page.getByText(/^conv_/).textContent()) ?? "";
  await page.getByRole("button", { name: "Branch from here: response 1" }).click();
  await page.getByRole("button", { name: "Start a conversation" }).waitFor();
  await send(page, "/history");
  await turn(page, 3).getByText("completed").waitFor();
  const branch = (await turn(page, 3).textContent()) ?? "";
  assert.ok(branch.includes("Hello there") && !branch.includes("Still there?"), branch);

  // The branch has a conversation of its own.
  assert.notEqual(await page.getByText(/^conv_/).textContent(), id);
  await page.getByRole("button", { name: "Leave", exact: true }).click();
  // Page by page, by its id.
  const items = Array.from({ length: 20 }, (_, at) => ({ role: "user", content: `item ${at}` }));
  const added = await fetch(`${stage().service.origin}/v1/conversations/${id}/items`, {
    method: "POST",
    headers: { authorization: `Bearer ${stage().service.key}` },
    body: JSON.stringify({ items }),
  });
  assert.equal(added.status, 200);
  await page.getByLabel("Or open one by its id").fill(id);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.getByText("Items, newest first").click();
  await page.getByText("item 19", { exact: true }).waitFor();
  assert.equal(await page.getByText("one by hand").count(), 0);
  await page.getByRole("button", { name: "Older items" }).click();
  await page.getByText("one by hand").waitFor();
  await page.getByRole("button", { name: "Delete the conversation" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the conversation" }).click();
  await page.getByRole("button", { name: "Start a conversation" }).waitFor();
});

test(
  "the key stays in the tab: in no other storage, no URL, no log, no request that is not the key's own",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    await using visit = await visitAs(stage(), "dev@acme.test");
    const { page, context } = visit;
    const leaks: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      const mayCarry = pathname.startsWith("/v1/") || /^\/manage\/api\/me(\/|$)/.test(pathname);
      const carried = [request.url(), request.postData() ?? "", mayCarry ? "" : JSON.stringify(request.headers())];
      if (carried.some((text) => text.includes(service.key))) leaks.push(request.url());
    });
    await useKey(page, service.key, "simulated/echo");
    await send(page, "Hello");
    await turn(page, 1).getByText("completed").waitFor();
    await page.getByRole("link", { name: "Usage of the key" }).click();
    await page.getByText("first key", { exact: true }).waitFor();
    await page.goto(`${service.origin}/account`);
    assert.deepEqual(leaks, []);
    const stored = () =>
      page.evaluate(`(async () => JSON.stringify([
        { ...sessionStorage },
        { ...localStorage }, document.cookie, location.href, history.state, document.referrer, window.name,
        await indexedDB.databases(), await caches.keys(), await navigator.serviceWorker.getRegistrations(),
      ]))()`);
    const [session, ...others] = JSON.parse(String(await stored())) as [object, ...unknown[]];
    assert.deepEqual(session, { "turngate.key": service.key });
    const databases = others.slice(-3);
    assert.deepEqual(databases, [[], [], []]);
    assert.ok(!JSON.stringify([others, await context.cookies()]).includes(service.key));
    // Every address of the history.
    const debug = await context.newCDPSession(page);
    assert.ok(!JSON.stringify(await debug.send("Page.getNavigationHistory")).includes(service.key));
    assert.ok(!service.logged().includes(service.key));
    // Another tab of the same person has no key.
    const tab = await context.newPage();
    await tab.goto(`${service.origin}/playground`);
    await tab.getByLabel("API key").waitFor();
    await tab.close();
    await signOut(page);
    await page.getByLabel("E-mail address").waitFor();
    assert.ok(!String(await stored()).includes(service.key));
  },
);

test("a screen requested before signing in is shown afterwards", NEEDS_BROWSER, async () => {
  const { service, browser } = stage();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${service.origin}/models`);
  await heading(page, "Sign in");
  assert.equal(new URL(page.url()).searchParams.get("next"), "/models");
  await context.close();
});
