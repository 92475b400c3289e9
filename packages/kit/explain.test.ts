import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { explain } from "./explain.ts";

const strict = { additionalProperties: false };
const Port = Type.Integer({ minimum: 1 });
const Server = Type.Object({ port: Port, hosts: Type.Optional(Type.Array(Type.String())) }, strict);
const Name = Type.Union([Type.String(), Type.Array(Type.String())]);
const File = Type.Object({ server: Server, name: Type.Optional(Name) }, strict);

const cases: readonly [what: string, value: unknown, faults: readonly unknown[]][] = [
  ["a valid value", { server: { port: 1 } }, []],
  [
    "an unknown member",
    { server: { port: 1, prot: 2 } },
    [{ kind: "unknown", path: ["server", "prot"], around: Server }],
  ],
  ["a missing member", { server: {} }, [{ kind: "missing", path: ["server"], names: ["port"] }]],
  ["a wrong value", { server: { port: 0 } }, [{ kind: "wrong", path: ["server", "port"], schema: Port }]],
  [
    "an entry of a list",
    { server: { port: 1, hosts: ["a", 5] } },
    [{ kind: "wrong", path: ["server", "hosts", 1], schema: Type.String() }],
  ],
  ["a value of another type at the top", 5, [{ kind: "wrong", path: [], schema: File }]],
  [
    "the name of a method",
    { server: { port: 1 }, toString: 1 },
    [{ kind: "unknown", path: ["toString"], around: File }],
  ],
];
for (const [what, value, faults] of cases) {
  test(`${what} is explained`, () => assert.deepEqual(explain(File, value), faults));
}

test("an entry of a list that is one form of a union is explained once at least, by the union", () => {
  const faults = explain(File, { server: { port: 1 }, name: ["a", 5] });
  assert.ok(faults.length > 0);
  for (const fault of faults) assert.deepEqual([fault.kind, fault.path[0]], ["wrong", "name"]);
});
