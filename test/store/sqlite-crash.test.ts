// A process that is killed: what was acknowledged is there, what ran is an orphan, and the lock is free.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { ACME, createHandClock, endOf, answers, says, settleOf } from "./fixtures.ts";
import { lookInto } from "./look-into.ts";
import { openAt, pathFor } from "./sqlite-files.ts";

/** Runs the victim until it has acknowledged so many lines, then kills it; answers every line it got out. */
async function killAfter(path: string, lines: number): Promise<string[]> {
  const script = new URL("./crash-victim.ts", import.meta.url).pathname;
  const victim = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] });
  const heard: string[] = [];
  for await (const line of createInterface({ input: victim.stdout })) {
    heard.push(line);
    if (heard.length === lines) victim.kill("SIGKILL");
  }
  return heard;
}

test("after a kill nothing acknowledged is lost, and the running turns are orphans that settle", async (t) => {
  const path = pathFor(t);
  const clock = createHandClock();
  for (const lines of [40, 137]) {
    const heard = await killAfter(path, lines);
    const store = await openAt(t, { path, clock, exclusive: true });
    const settled = new Set(heard.filter((line) => line.startsWith("settled ")).map((line) => line.slice(8)));
    const begun = heard.filter((line) => line.startsWith("begun ")).map((line) => line.slice(6));
    assert.ok(settled.size > 0);
    const orphans = (await store.listOrphans()).map(({ head }) => head.id as string);
    for (const responseId of begun) {
      const turn = await store.readTurn({ caller: ACME, responseId });
      assert.notEqual(turn, null, `${responseId} was acknowledged`);
      if (settled.has(responseId)) assert.equal(turn?.status, "completed");
      else assert.equal(turn?.status === "in_progress", orphans.includes(responseId));
    }
    // The victim's first turn never settles.
    assert.ok(begun[0] !== undefined && orphans.includes(begun[0]));
    for (const { head } of await store.listOrphans()) {
      const end = endOf([answers("")], { status: "failed", error: { code: "run_failed", message: "m" } });
      assert.ok(await store.settleTurn(settleOf(head.id, [says("q")], end)));
    }
    assert.deepEqual(await store.listOrphans(), []);
    const check = (pragma: string) => lookInto(path, (database) => database.prepare(pragma).all());
    assert.equal(Object.values(check("pragma integrity_check")[0] ?? {})[0], "ok");
    assert.deepEqual(check("pragma foreign_key_check"), []);
    await store.close();
  }
});
