// docs/observability.md and what /metrics shows are the same, both ways, with the embedded store and with PostgreSQL.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TEST_ENGINE } from "../../support/engine.ts";
import { withService } from "../../support/service.ts";
import { EXERCISED_MODELS, exerciseEverything, exerciseTargets } from "./exercise.ts";
import { parseExposition } from "./exposition.ts";

interface Documented {
  readonly type: string;
  readonly labels: readonly string[];
  /** What it says of the embedded store has no meaning for PostgreSQL. */
  readonly isEmbeddedOnly: boolean;
}

function readTable(): ReadonlyMap<string, Documented> {
  const text = readFileSync(new URL("../../../docs/observability.md", import.meta.url), "utf8");
  const rows = text.matchAll(/^\| `(turngate_\w+)` \| (\w+) \| (.+?) \| (.+) \|$/gm);
  return new Map(
    Array.from(rows, ([, name = "", type = "", labels = "", meaning = ""]) => [
      name,
      {
        type,
        labels: Array.from(labels.matchAll(/`(\w+)`/g), ([, label = ""]) => label),
        isEmbeddedOnly: /of the embedded store|embedded store's/.test(meaning),
      },
    ]),
  );
}

test("every metric of the document is shown with its type and labels, and no other", async () => {
  await withService({ metricsByOrganization: true, models: EXERCISED_MODELS }, async (service) => {
    await exerciseEverything(service);
    await exerciseTargets(service);
    const shown = parseExposition(await service.metricsPage.render());
    const all = readTable();
    assert.ok(all.size > 20);
    const documented = new Map(
      [...all].filter(([, { isEmbeddedOnly }]) => TEST_ENGINE === "sqlite" || !isEmbeddedOnly),
    );
    const ours = [...shown].filter(
      ([name, { samples }]) => name.startsWith("turngate_") && (documented.has(name) || samples.length > 0),
    );
    assert.deepEqual(ours.map(([name]) => name).toSorted(), [...documented.keys()].toSorted());
    for (const [name, family] of ours) {
      const labels = new Set(family.samples.flatMap((sample) => Object.keys(sample.labels)));
      labels.delete("le");
      assert.ok(family.samples.length > 0, `${name} has a series`);
      assert.deepEqual({ type: family.type, labels: [...labels].toSorted() }, sorted(documented.get(name)), name);
      assert.notEqual(family.help, "", name);
    }
  });
});

function sorted(documented: Documented | undefined) {
  return documented === undefined ? undefined : { type: documented.type, labels: documented.labels.toSorted() };
}
