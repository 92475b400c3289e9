// The alerts and the dashboard ask for metrics, labels and values that the service has; every alert has its section in docs/runbook.md.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { before, test } from "node:test";
import { parse } from "yaml";
import dashboard from "../../deploy/monitoring/dashboard.json" with { type: "json" };
import { DEFAULT_MANAGE_PORT } from "../../src/config/environment.ts";
import { EXERCISED_MODELS, exerciseEverything, exerciseTargets } from "../http/metrics/exercise.ts";
import { type Family, parseExposition } from "../http/metrics/exposition.ts";
import { createCircuits } from "../../src/flows/providers/circuits.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { fails } from "../support/scripted-provider.ts";
import { withService } from "../support/service.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

const rules: readonly Rule[] = parse(read("deploy/monitoring/alerts.yaml")).groups[0].rules;
const shown: readonly { name: string; expr: string; legend: string }[] = dashboard.panels.flatMap((panel) =>
  ("targets" in panel ? (panel.targets ?? []) : []).map(({ expr, legendFormat }) => ({
    name: panel.title,
    expr,
    legend: legendFormat,
  })),
);

/** Labels that Prometheus adds. */
const ADDED = ["instance", "job"];
let families: ReadonlyMap<string, Family>;
let sources: string;

before(async () => {
  await withService({ models: EXERCISED_MODELS, metricsByOrganization: true }, async (service) => {
    await exerciseEverything(service);
    await exerciseTargets(service);
    families = parseExposition(await service.metricsPage.render());
  });
  sources = globSync("src/**/*.ts", { cwd: ROOT })
    .filter((path) => !path.endsWith(".test.ts"))
    .map(read)
    .join("\n");
});

/** The labels of a metric, as an expression names it; `le` for the buckets of a histogram. */
function labelsOf(name: string): readonly string[] {
  const base = families.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, "");
  const family = families.get(base) ?? assert.fail(`there is no metric ${name}`);
  assert.equal(base !== name, family.type === "histogram", `${name} is a ${family.type}`);
  const labels = new Set(family.samples.flatMap((sample) => Object.keys(sample.labels)));
  if (!name.endsWith("_bucket")) labels.delete("le");
  return [...labels, ...ADDED];
}

/** Checks an expression; returns the labels that its result may have. */
function check(expr: string): ReadonlySet<string> {
  const known = new Set<string>(ADDED);
  const selectors = [...expr.matchAll(/\b((?:turngate|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
  for (const [, name = "", matchers = ""] of selectors) {
    const labels = labelsOf(name);
    for (const label of labels) known.add(label);
    for (const [, label = "", value = ""] of matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)) {
      assert.ok(labels.includes(label), `${name} has no label ${label}: ${expr}`);
      if (!ADDED.includes(label)) assertValues(label, value);
    }
  }
  if (selectors.length === 0) assert.match(expr, /^up\{job="turngate"\} == 0$/);
  for (const [, list = ""] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(", ")) assert.ok(known.has(label), `nothing has a label ${label}: ${expr}`);
  }
  return known;
}

/** Every value that a matcher names stands in the program, or is an HTTP status. */
function assertValues(label: string, value: string): void {
  for (const each of value.split("|")) {
    const isThere = /^[1-5][0-9.][0-9.]$/.test(each) || sources.includes(`"${each}"`) || sources.includes(`${each}:`);
    assert.ok(isThere, `${label} is never ${each}`);
  }
}

test("the control: a metric, a label and a value that do not exist are found", () => {
  assert.throws(() => check("turngate_nothing_total > 0"), /there is no metric turngate_nothing_total/);
  assert.throws(() => check('turngate_turns_total{colour="red"}'), /has no label colour/);
  assert.throws(() => check('turngate_log_lines_total{event="turn.nothing"}'), /event is never turn\.nothing/);
  assert.throws(() => check("sum by (colour) (turngate_turns_total)"), /nothing has a label colour/);
  assert.throws(() => check("turngate_turn_duration_seconds"), /is a histogram/);
});

test("every alert asks for what there is, and its summary for labels that it has", () => {
  assert.ok(rules.length > 10);
  for (const { alert, expr, annotations } of rules) {
    const labels = check(expr);
    const grouped = /^sum by \(([^)]*)\)|^histogram_quantile\([\d.]+, sum by \(([^)]*)\)/.exec(expr);
    const kept = grouped === null ? [...labels] : (grouped[1] ?? grouped[2] ?? "").split(", ");
    for (const [, label = ""] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
      assert.ok(kept.includes(label), `${alert} has no label ${label}`);
    }
  }
});

test("a target that keeps failing counts as resting at every moment of TurngateTargetResting", async () => {
  const { expr } = rules.find(({ alert }) => alert === "TurngateTargetResting")!;
  const [, minutes] = /max_over_time\(turngate_target_resting\[(\d+)m\]\)/.exec(expr) ?? [];
  const clock = new FakeClock();
  const circuits = createCircuits(clock);
  /** The gauge, four times a minute; a turn comes every minute. */
  const samples: number[] = [];
  for (let sample = 0; sample < 240; sample++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await clock.advance(15_000);
    if (sample % 4 === 0 && circuits.readinessOf("a/m").restsForMs === 0)
      circuits.watch("a/m").ended(fails("provider_unavailable"));
    samples.push(circuits.stateOf("a/m").restsForMs > 0 ? 1 : 0);
  }
  const rested = samples.slice(samples.indexOf(1));
  const isAlways = (window: number) =>
    rested.every((_, at) => rested.slice(Math.max(0, at + 1 - window), at + 1).includes(1));
  assert.equal(isAlways(Number(minutes) * 4), true);
  assert.equal(isAlways(1), false, "the control: the gauge itself falls to 0 in between");
});

test("every panel asks for what there is, and its legend for labels that it has", () => {
  assert.ok(shown.length > 20);
  for (const { name, expr, legend } of shown) {
    const labels = check(expr.replaceAll("$instance", ".*"));
    for (const [, label = ""] of legend.matchAll(/\{\{(\w+)\}\}/g)) assert.ok(labels.has(label), `${name}: ${label}`);
    assert.match(expr, /instance=~"\$instance"/, `${name} ignores the chosen node`);
  }
  const variables = dashboard.templating.list.map((variable) => variable.query);
  assert.deepEqual(variables, ["prometheus", "label_values(turngate_turns_running, instance)"]);
});

test("every metric of our own is on the dashboard", () => {
  const asked = shown.map(({ expr }) => expr).join("\n");
  for (const name of families.keys()) if (name.startsWith("turngate_")) assert.ok(asked.includes(name), name);
});

test("every alert has a section in docs/runbook.md, and every section an alert", () => {
  const sections = [...read("docs/runbook.md").matchAll(/^## (Turngate\w+)$/gm)].map(([, name]) => name);
  assert.deepEqual(
    sections,
    rules.map(({ alert }) => alert),
  );
});

test("Prometheus scrapes the management port", () => {
  const { scrape_configs: scrapes } = parse(read("deploy/monitoring/scrape.yaml"));
  assert.deepEqual(scrapes[0].static_configs[0].targets, [`127.0.0.1:${DEFAULT_MANAGE_PORT}`]);
  assert.equal(scrapes[0].job_name, "turngate", "the rules name this job");
});
