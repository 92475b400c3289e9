import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import { buildProgram } from "./program.ts";

/** Every command that does something, by its words. */
function listLeaves(command: Command, words: readonly string[]): (readonly [string, Command])[] {
  const below = command.commands.flatMap((inner) => listLeaves(inner, [...words, inner.name()]));
  return below.length === 0 ? [[words.join(" "), command]] : below;
}

const leaves = listLeaves(buildProgram(), []);

test("the version is the package's", () => {
  assert.match(buildProgram().version() ?? "", /^\d+\.\d+\.\d+$/);
});

test("the commands are those of the operations contract", () => {
  const expected = [
    "serve",
    "orgs create",
    "orgs list",
    "orgs show",
    "orgs rename",
    "orgs suspend",
    "orgs resume",
    "members add",
    "members remove",
    "members role",
    "members sign-in-link",
    "members list",
    "keys create",
    "keys mint",
    "keys rotate",
    "keys revoke",
    "keys list",
    "payment-method set",
    "payment-method clear",
    "plan start",
    "plan stop",
    "credits add",
    "credits show",
    "budgets set",
    "budgets clear",
    "budgets list",
    "policy set",
    "limits set",
    "usage",
    "ledger check",
    "models list",
    "tokens create",
    "tokens list",
    "tokens revoke",
    "audit list",
    "audit verify",
    "migrate",
    "erase",
    "doctor",
    "openapi",
    "openapi-manage",
    "schema",
  ];
  assert.deepEqual(
    leaves.map(([words]) => words),
    expected,
  );
});

for (const [words, command] of leaves) {
  test(`${words} says what it does, and what each of its options and arguments is`, () => {
    assert.notEqual(command.description(), "");
    for (const option of command.options) assert.notEqual(option.description, "", option.flags);
    for (const argument of command.registeredArguments) assert.notEqual(argument.description, "", argument.name());
    assert.match(command.helpInformation(), /--help/);
  });
}

test("every command but serve and the documents prints JSON when asked", () => {
  const without = leaves.filter(([, command]) => !command.options.some((option) => option.long === "--json"));
  assert.deepEqual(
    without.map(([words]) => words),
    ["serve", "openapi", "openapi-manage", "schema"],
  );
});
