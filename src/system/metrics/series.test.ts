import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter, Histogram, Registry } from "prom-client";
import { createCounter, createHistogram } from "./series.ts";

const help = 'What "it" is';
const buckets = [0.1, 1, 10];

test("a page shows what prom-client's own counters and histograms show", async () => {
  const registry = new Registry();
  const turns = createCounter({ name: "turns", help, labelNames: ["model", "code"], registry });
  const waits = createHistogram({ name: "waits", help, labelNames: ["model"], buckets, registry });
  createCounter({ name: "none", help, labelNames: ["model"], registry });
  createHistogram({ name: "empty", help, labelNames: [], buckets, registry });
  const theirs = new Registry();
  const registers = [theirs];
  const theirTurns = new Counter({ name: "turns", help, labelNames: ["model", "code"], registers });
  const theirWaits = new Histogram({ name: "waits", help, labelNames: ["model"], buckets, registers });
  void new Counter({ name: "none", help, labelNames: ["model"], registers });
  void new Histogram({ name: "empty", help, labelNames: [], buckets, registers });

  for (const [model, code, amount] of [
    ["a", "x", 2],
    ["a", undefined, 0.5],
    ['b\\"', "x", 0],
    ["a", "x", 1],
  ] as const) {
    turns(code === undefined ? [model] : [model, code], amount);
    theirTurns.inc(code === undefined ? { model } : { model, code }, amount);
  }
  for (const value of [0, 0.1, 0.11, 5, 10, 11]) {
    waits(["a"], value);
    theirWaits.observe({ model: "a" }, value);
  }
  assert.equal(await registry.metrics(), await theirs.metrics());
});

test("an amount is 1 unless it is given", async () => {
  const registry = new Registry();
  const count = createCounter({ name: "turns", help, labelNames: [], registry });
  count([]);
  count([]);
  assert.match(await registry.metrics(), /^turns 2$/m);
});
