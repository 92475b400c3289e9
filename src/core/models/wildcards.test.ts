// Wildcards: which names they take, and that no name reaches further than a model's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { modelOf } from "../../../test/support/responses.ts";
import { createCatalog } from "./catalog.ts";
import { chooseModel } from "./policy.ts";
import { isModelName } from "./wildcards.ts";

const leaves = { listsPrices: true, listsSizes: true, takesSlash: false };
const prices = { input: 1, cached_input: 1, cache_write: 1, output: 2 };
const catalog = createCatalog(
  [
    modelOf({ id: "acme/large" }),
    modelOf({ id: "acme/*", upstreamModel: "*", prices, wildcard: leaves }),
    modelOf({ id: "acme/old-*", upstreamModel: "legacy-*", wildcard: leaves }),
  ],
  1,
  (wildcard, named) => {
    const { wildcard: _, ...template } = wildcard;
    return { ...template, ...named, namedBy: wildcard.id };
  },
);
const ALL = { allowModels: null, denyModels: [], keyModels: null };

test("a name that is not listed is taken by the wildcard with the longest beginning", () => {
  assert.equal(catalog.find("acme/large")?.namedBy, undefined);
  const small = catalog.find("acme/small");
  assert.deepEqual([small?.id, small?.upstreamModel, small?.namedBy], ["acme/small", "small", "acme/*"]);
  const old = catalog.find("acme/old-1");
  assert.deepEqual([old?.upstreamModel, old?.namedBy], ["legacy-1", "acme/old-*"]);
  assert.equal(catalog.find("acme/small"), small);
  assert.equal(catalog.find("other/small"), undefined);
  assert.equal(catalog.find("small"), undefined);
});

test("its turns are priced as the model that is made of its name", () => {
  const small = catalog.find("acme/small") ?? assert.fail();
  assert.equal(catalog.pricingOf(small)?.snapshot.input, 1e9);
  assert.equal(catalog.pricingOf(catalog.find("acme/old-1") ?? assert.fail()), null);
});

test("a wildcard itself is no model, and is proposed to nobody", () => {
  for (const name of ["acme/*", "acme/old-*", "*"]) {
    assert.throws(
      () => chooseModel(name, catalog, ALL),
      (error: unknown) => error instanceof ApiError && !/did you mean.*\*/.test(error.message),
    );
  }
});

test("rules of a policy apply to names, also by their beginning", () => {
  const choose = (name: string, rules: object) => chooseModel(name, catalog, { ...ALL, ...rules }).id;
  assert.equal(choose("acme/small", { allowModels: ["acme/*"] }), "acme/small");
  assert.equal(choose("acme/small", { allowModels: ["acme/small"] }), "acme/small");
  assert.throws(() => choose("acme/large", { allowModels: ["acme/small"] }), /does not allow/);
  assert.equal(choose("acme/small", { keyModels: ["acme/s*"] }), "acme/small");
  assert.throws(() => choose("acme/large", { keyModels: ["acme/s*"] }), /key/);
  assert.throws(() => choose("acme/small", { denyModels: ["acme/s*"] }), /does not allow/);
  assert.throws(() => choose("acme/small", { allowModels: ["acme/*"], denyModels: ["acme/small"] }), /does not allow/);
});

test("a name has the characters of names, at most 128, and climbs in no path", () => {
  for (const name of ["gpt-5.4", "gpt-oss:20b", "ft:gpt-4o:org::id", "a", "x".repeat(128), "Qwen3_8B"])
    assert.ok(isModelName(name, false), name);
  for (const name of ["meta-llama/llama-3.1-8b:free", "@cf/meta/llama", "accounts/x/models/y"]) {
    assert.ok(isModelName(name, true), name);
    assert.ok(!isModelName(name, false), name);
  }
  for (const name of [
    "",
    "*",
    ".",
    "..",
    "../admin",
    "a/../b",
    "a/./b",
    "a/.hidden",
    "a//b",
    "/a",
    "a/",
    "a?b=c",
    "a#b",
    "a%2fb",
    "a b",
    "a\nb",
    "a\\b",
    "é",
    "a&b",
    "x".repeat(129),
  ])
    assert.ok(!isModelName(name, true), JSON.stringify(name));
});

test("however many names are sent, few are remembered, and each is served", () => {
  for (let at = 0; at < 5000; at++) assert.equal(catalog.find(`acme/n${at}`)?.upstreamModel, `n${at}`);
});
