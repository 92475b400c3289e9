import assert from "node:assert/strict";
import { test } from "node:test";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { read } from "../../test/support/config.ts";
import { chooseModel } from "../core/models/policy.ts";
import { buildCatalog } from "./catalog.ts";

const open = async (aliases: string) =>
  buildCatalog(
    await read(
      `providers: {p: {type: simulated}}\ncatalog: none\nmodels: [{id: p/echo}, {id: p/hangs}]\naliases: {${aliases}}\n`,
    ),
  );

test("an alias stands for a model, by its id, its bare form or another alias", async () => {
  const { find, models } = await open('fast: p/echo, "gpt-4o": hangs, default: fast, "other/model": default');
  const found = ["fast", "gpt-4o", "default", "other/model", "echo", "p/hangs"].map((name) => find(name)?.id);
  assert.deepEqual(found, ["p/echo", "p/hangs", "p/echo", "p/echo", "p/echo", "p/hangs"]);
  assert.deepEqual(
    models.map(({ id, aliases }) => [id, aliases]),
    [
      ["p/echo", ["fast", "default", "other/model"]],
      ["p/hangs", ["gpt-4o"]],
    ],
  );
});

test("an alias may take a bare form from the model that has it", async () => {
  const { find } = await open("echo: p/hangs");
  assert.deepEqual([find("echo")?.id, find("p/echo")?.id], ["p/hangs", "p/echo"]);
});

test("the error of an unknown model names a near alias", async () => {
  const catalog = await open('"gpt-4o-mini": p/echo');
  assert.throws(
    () => chooseModel("gpt-4o-mimi", catalog, { allowModels: null, denyModels: [], keyModels: null }),
    /did you mean gpt-4o-mini\?/,
  );
});

for (const [name, aliases, expected] of [
  ["a circle", "a: b, b: c, c: a", /aliases\.a leads back to itself: a → b → c → a\.$/],
  ["itself", "a: a", /aliases\.a leads back to itself: a → a\.$/],
  [
    "a model that is not there",
    "a: p/ecko",
    /aliases\.a names "p\/ecko", which is neither a model nor an alias: did you mean p\/echo\?$/,
  ],
  ["nothing like it", "a: zzzzzzzz", /`turngate models list` lists all$/],
  ["the id of a model", '"p/echo": p/hangs', /aliases\.p\/echo is the id of a model, which keeps its name\.$/],
] as const) {
  test(`an alias that leads to ${name} is one clear sentence`, async () => {
    await assert.rejects(open(aliases), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, expected);
      return true;
    });
  });
}
