// What runs now, on the screens of an owner and of the operator.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppService } from "./app-service.ts";
import { NEEDS_BROWSER, open, shareStage, visitAs, visitAsOperator } from "./stage.ts";

const stage = shareStage();

test("a running turn is shown with its model and key, and leaves when it has ended", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using owner = await visitAs(stage(), "owner@localhost");
  await using operator = await visitAsOperator(stage());
  await open(operator.page, "Service");
  const turn = await hang(service);
  for (const { page } of [owner, operator]) {
    const row = page.getByRole("table", { name: "Running responses" }).getByRole("row", { name: turn.id });
    await row.getByText("simulated/hangs").waitFor();
    await row.getByText("first key").waitFor();
    await row.getByText("in progress").waitFor();
    await row.getByText("stream", { exact: true }).waitFor();
  }
  await owner.look("an overview with a running turn");
  await operator.look("a service with a running turn");
  await turn.cancel();
  for (const { page } of [owner, operator]) {
    await page.getByRole("row", { name: turn.id }).waitFor({ state: "detached" });
    await page.getByText("Nothing runs").waitFor();
  }
});

/** Starts a streamed turn that never ends by itself. */
async function hang({ origin, key }: AppService): Promise<{ id: string; cancel(): Promise<void> }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "simulated/hangs", stream: true, input: "Hi" });
  const reply = await fetch(`${origin}/v1/responses`, { method: "POST", headers, body });
  const reader = reply.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let id: string | undefined;
  while (id === undefined) {
    text += decoder.decode((await reader?.read())?.value, { stream: true });
    id = /"id":"(resp_\w+)"/.exec(text)?.[1];
  }
  return {
    id,
    async cancel() {
      const cancelled = await fetch(`${origin}/v1/responses/${id}/cancel`, { method: "POST", headers });
      assert.equal(cancelled.status, 200);
      await reader?.cancel();
    },
  };
}
