import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { packing } from "./packing.ts";

interface Cat {
  readonly name: string;
  readonly lives?: number;
  readonly owner: { readonly name: string } | null;
  readonly worth: bigint;
}

const CATS = packing<Cat>({ name: true, lives: true, owner: true, worth: true });

test("a record comes out as it went in, through a structured clone", () => {
  const cat = fc.record(
    {
      name: fc.string({ unit: "binary" }),
      lives: fc.integer(),
      owner: fc.option(fc.record({ name: fc.string() }, { noNullPrototype: true })),
      worth: fc.bigInt(),
    },
    { requiredKeys: ["name", "owner", "worth"], noNullPrototype: true },
  );
  fc.assert(
    fc.property(cat, (given) => {
      const packed = CATS.pack(given);
      assert.equal(packed.length, 4);
      assert.deepEqual(CATS.unpack(structuredClone(packed)), { lives: undefined, ...given });
    }),
  );
});

test("what is no member of the kind stays behind", () => {
  const given = { name: "Tom", owner: null, worth: 1n, secret: "never told" };
  assert.deepEqual(CATS.pack(given), ["Tom", undefined, null, 1n]);
});

test("a member's name is letters", () => {
  assert.throws(() => packing<{ "a; process.exit()": string }>({ "a; process.exit()": true }), /letters/);
});
