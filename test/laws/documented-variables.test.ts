// The environment variables that the configuration reads are those of the table in docs/configuration.md, the families' included.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { listVariables } from "../support/variables.ts";

/** Node itself reads these. */
const NODES_OWN = ["NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA"];

test("docs/configuration.md lists every variable that is read, and no other", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const [, table = ""] = /^\| variable \| default \| meaning \|\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const documented = Array.from(table.matchAll(/^\| ([^|]+) \|/gm), ([, names = ""]) => names).flatMap((names) =>
    Array.from(names.matchAll(/`(\w+)`/g), ([, name]) => name),
  );
  assert.deepEqual(new Set(documented), new Set([...listVariables(), ...NODES_OWN]));
});
