import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { printList, type Printed } from "./output.ts";

function printed(context: TestContext, records: readonly Printed[]): string {
  const write = context.mock.method(process.stdout, "write", () => true);
  printList(records, {}, "There is none.");
  write.mock.restore();
  return write.mock.calls.map(({ arguments: [text] }) => String(text)).join("");
}

test("a table has a column for every field of any record", (context) => {
  const records = [
    { id: "a", limits: { streams: 3 } },
    { id: "b", limits: { streams: null }, suspended: true },
  ];
  assert.equal(
    printed(context, records),
    "id  limits.streams  suspended\na   3               -\nb   -               yes\n",
  );
});

test("an empty list prints a sentence", (context) => assert.equal(printed(context, []), "There is none.\n"));
