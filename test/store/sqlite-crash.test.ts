// Killing the process: acknowledged data is there, running responses are orphans, and the lock is released.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { TESTS } from "../support/actor.ts";
import { verifyAudit } from "../../src/flows/accounts/verify-audit.ts";
import { ACME, addCallers, createManualClock, endOf, answers, OTHER, runResponse, says, settleOf } from "./fixtures.ts";
import { countFilesWith, withDatabase } from "./raw-database.ts";
import { openAt, pathFor } from "./sqlite-files.ts";

/** Runs the victim until it has acknowledged a number of lines, then kills it; returns every line it printed. */
async function killAfter(path: string, lines: number, victimScript = "./crash-victim.ts"): Promise<string[]> {
  const script = new URL(victimScript, import.meta.url).pathname;
  const victim = spawn(process.execPath, [script, path, String(lines)], { stdio: ["ignore", "pipe", "inherit"] });
  const heard: string[] = [];
  for await (const line of createInterface({ input: victim.stdout })) {
    heard.push(line);
    if (heard.length === lines) victim.kill("SIGKILL");
  }
  return heard;
}

test("after a kill no acknowledged write is lost, and running responses are orphans that can be settled", async (t) => {
  const path = pathFor(t);
  const clock = createManualClock();
  for (const lines of [40, 137]) {
    const heard = await killAfter(path, lines);
    const store = await openAt(t, { location: path, clock, exclusive: true });
    const settled = new Set(heard.filter((line) => line.startsWith("settled ")).map((line) => line.slice(8)));
    const begun = heard.filter((line) => line.startsWith("begun ")).map((line) => line.slice(6));
    assert.ok(settled.size > 0);
    const orphans = (await store.listOrphans()).map(({ id }) => id as string);
    for (const responseId of begun) {
      const turn = await store.readResponse({ caller: ACME, responseId });
      assert.notEqual(turn, null, `${responseId} was acknowledged`);
      if (settled.has(responseId)) assert.equal(turn?.status, "completed");
      else assert.equal(turn?.status === "in_progress", orphans.includes(responseId));
    }
    // The victim's first response never settles.
    assert.ok(begun[0] !== undefined && orphans.includes(begun[0]));
    for (const head of await store.listOrphans()) {
      const end = endOf([answers("")], { status: "failed", error: { code: "run_failed", message: "m" } });
      assert.ok(await store.settleResponse(settleOf(head.id, [says("q")], end)));
    }
    assert.deepEqual(await store.listOrphans(), []);
    const check = (pragma: string) => withDatabase(path, (database) => database.prepare(pragma).all());
    assert.equal(Object.values(check("pragma integrity_check")[0] ?? {})[0], "ok");
    assert.deepEqual(check("pragma foreign_key_check"), []);
    await store.close();
  }
});

test("the erasure of an organization is resumed after kills, and leaves no byte of it and all of another one", async (t) => {
  const path = pathFor(t);
  const clock = createManualClock();
  const canary = "canary-3e90b1";
  const { organizationId } = ACME;
  const store = await openAt(t, { location: path, clock, exclusive: true });
  await addCallers(store);
  for (let turn = 0; turn < 12; turn++) await runResponse(store, { input: [says(canary)], output: [answers(canary)] });
  await store.updateOrganization({ by: TESTS, organizationId, name: canary });
  const kept = await runResponse(store, { begin: { caller: OTHER } });
  await store.deleteOrganization({ by: TESTS, organizationId });
  await store.close();
  for (const lines of [4, 15]) {
    const pieces = await killAfter(path, lines, "./erase-victim.ts");
    assert.ok(
      pieces.every((piece) => piece === "more 2"),
      "control: it is killed on the way",
    );
  }
  const resumed = await openAt(t, { location: path, clock, exclusive: true });
  const erase = { by: TESTS, organizationId, batch: 2, mayBlockWrites: false };
  while ((await resumed.eraseOrganization(erase)).state !== "done");
  assert.equal(countFilesWith(path, canary), 0);
  assert.equal((await resumed.readResponse({ caller: OTHER, responseId: kept.id }))?.status, "completed");
  assert.equal((await verifyAudit(resumed, null)).brokenAt, null);
  assert.deepEqual((await resumed.reconcile({ organizationId: null })).differences, []);
});
