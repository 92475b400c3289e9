import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { addAllCommands } from "../all-commands.ts";
import { buildProgram } from "../program.ts";
import { buildScript } from "./completion.ts";

const script = buildScript(buildProgram(addAllCommands));

/** What bash offers for the last of these words. */
function complete(...words: readonly string[]): readonly string[] {
  const typed = ["turngate", ...words].map((word) => `'${word}'`).join(" ");
  const source = `${script}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _turngate; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", source], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.split("\n").filter((line) => line !== "");
}

test("commands, subcommands, options and the values of options are completed", () => {
  assert.deepEqual(complete("bud"), ["budgets"]);
  assert.deepEqual(complete("tokens", "c"), ["create"]);
  assert.deepEqual(complete("migrate", "--"), ["--plan", "--stop-others", "--json", "--help"]);
  assert.deepEqual(complete("keys", "create", "--org", "acme", "--perm"), ["--permissions"]);
  assert.deepEqual(complete("keys", "create", "--permissions", "r"), ["read"]);
  assert.deepEqual(complete("keys", "create", "--org", "acme", "--permissions", "zzz"), []);
});

test("an argument that looks like a command of another place is none", () => {
  assert.deepEqual(complete("migrate", "keys", "--pl"), ["--plan"]);
});
