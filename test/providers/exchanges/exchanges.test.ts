// Exchanges that `turngate record` wrote (docs/contributing/add-a-provider.md): each plays to what its fixture expects, in
// whatever chunks it comes. A new one needs no code: its file in fixtures/ is enough.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { openFixture, replay } from "../../../src/boot/recording/replay.ts";
import { FAMILIES } from "../../../src/providers/families.ts";

const FOLDER = new URL("fixtures/", import.meta.url);
const fixtures = readdirSync(FOLDER).map((name) => openFixture(name, readFileSync(new URL(name, FOLDER), "utf8")));

for (const [at, name] of readdirSync(FOLDER).entries()) {
  test(`${name} plays to what it expects`, async () => {
    const fixture = fixtures[at];
    assert.ok(fixture !== undefined);
    const { differences, unexpected } = await replay(fixture);
    assert.deepEqual({ differences, unexpected }, { differences: [], unexpected: null });
  });
}

test("every family with a wire has an exchange", () => {
  const wires = FAMILIES.filter(({ loadRecordedFields }) => loadRecordedFields !== null).map(({ type }) => type);
  assert.deepEqual([...new Set(fixtures.map(({ family }) => family))].sort(), wires.sort());
});
