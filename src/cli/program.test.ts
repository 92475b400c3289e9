import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Command } from "commander";
import { addAllCommands, listLeaves } from "./all-commands.ts";
import { addServe } from "./commands/serve.ts";
import { buildProgram } from "./program.ts";

/** The words of a command: `orgs create`. */
function wordsOf(command: Command): string {
  const group = command.parent?.parent ? `${command.parent.name()} ` : "";
  return `${group}${command.name()}`;
}

const leaves = listLeaves(buildProgram(addAllCommands)).map((command) => [wordsOf(command), command] as const);

test("the version is the package's", () => {
  assert.match(buildProgram(addAllCommands).version() ?? "", /^\d+\.\d+\.\d+$/);
});

test("serve is the same with and without the other commands", () => {
  const [alone] = listLeaves(buildProgram(addServe));
  const among = leaves.find(([words]) => words === "serve")?.[1];
  assert.ok(alone !== undefined && among !== undefined);
  assert.equal(alone.helpInformation(), among.helpInformation());
});

test("the commands are the documented ones", () => {
  const expected = [
    "serve",
    "nodes list",
    "orgs create",
    "orgs list",
    "orgs show",
    "orgs rename",
    "orgs suspend",
    "orgs resume",
    "orgs delete",
    "orgs retention",
    "orgs file",
    "orgs export-data",
    "members add",
    "members remove",
    "members role",
    "members sign-in-link",
    "members sessions",
    "members end-sessions",
    "members list",
    "operator sign-in-link",
    "operator sessions",
    "operator end-session",
    "keys create",
    "keys update",
    "keys rotate",
    "keys revoke",
    "keys list",
    "keys mint",
    "payment-method set",
    "payment-method clear",
    "plan start",
    "plan stop",
    "plan file",
    "credits add",
    "credits show",
    "budgets set",
    "budgets try",
    "budgets raise",
    "budgets clear",
    "budgets list",
    "budgets increases",
    "budgets grant",
    "budgets decline",
    "spending",
    "policy try",
    "policy set",
    "limits set",
    "apply",
    "usage show",
    "usage export",
    "turns list",
    "turns show",
    "turns groups",
    "turns summary",
    "running",
    "errors",
    "failures",
    "find",
    "rejections list",
    "rejections show",
    "ledger list",
    "ledger check",
    "models list",
    "models update",
    "tokens create",
    "tokens list",
    "tokens revoke",
    "events list",
    "notify",
    "audit list",
    "audit verify",
    "migrate",
    "erase",
    "store copy",
    "secret rotate",
    "secret status",
    "backup",
    "restore",
    "export",
    "import",
    "verify",
    "doctor",
    "config show",
    "config check",
    "config import",
    "record",
    "replay",
    "openapi",
    "openapi-manage",
    "management-paths",
    "schema",
    "schema-accounts",
    "completion",
  ];
  assert.deepEqual(
    leaves.map(([words]) => words),
    expected,
  );
});

for (const [words, command] of leaves) {
  test(`${words} describes itself, its options and its arguments`, () => {
    assert.notEqual(command.description(), "");
    for (const option of command.options) assert.notEqual(option.description, "", option.flags);
    for (const argument of command.registeredArguments) assert.notEqual(argument.description, "", argument.name());
    assert.match(command.helpInformation(), /--help/);
  });
}

test("help says which options are required", () => {
  for (const [words, command] of leaves) {
    const help = command.helpInformation().replace(/\s+/g, " ");
    const marked = help.match(/\(required\)/g) ?? [];
    const required = command.options.filter(({ mandatory }) => mandatory);
    assert.equal(marked.length, required.length, words);
  }
  const create = leaves.find(([words]) => words === "keys create")?.[1];
  assert.match(create?.helpInformation() ?? "", /--org <org> +organization, by id or name \(required\)\n/);
});

test("every command but serve, completion and the documents has --json", () => {
  const without = leaves.filter(([, command]) => !command.options.some((option) => option.long === "--json"));
  assert.deepEqual(
    without.map(([words]) => words),
    ["serve", "openapi", "openapi-manage", "management-paths", "schema", "schema-accounts", "completion"],
  );
});

test("docs/command-line.md has every command and every option", () => {
  const page = readFileSync(new URL("../../docs/command-line.md", import.meta.url), "utf8");
  const expected = leaves.flatMap(([words, command]) => [words, ...command.options.map(({ long }) => long ?? "")]);
  assert.deepEqual(
    expected.filter((text) => !page.includes(text)),
    [],
  );
});
