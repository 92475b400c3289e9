import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { packing } from "./packing.ts";

interface Cat {
  readonly name: string;
  readonly lives?: number;
  readonly owner: { readonly name: string } | null;
  readonly worth: bigint;
}

const CATS = packing<Cat>({ name: true, lives: true, owner: true, worth: true });

test("an unpacked record equals the packed one, through a structured clone", () => {
  const cat = fc.record(
    {
      name: fc.string({ unit: "binary", maxLength: 500 }),
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

test("an unknown member is not packed", () => {
  const given = { name: "Tom", owner: null, worth: 1n, secret: "not packed" };
  assert.deepEqual(CATS.pack(given), ["Tom", undefined, null, 1n]);
});

test("a member name other than letters is rejected", () => {
  assert.throws(() => packing<{ "a; process.exit()": string }>({ "a; process.exit()": true }), /letters/);
});
