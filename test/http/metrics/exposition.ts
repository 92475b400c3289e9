// Reads the text exposition format 0.0.4, strictly.
import assert from "node:assert/strict";

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: Sample[];
}

const SUFFIX = /_(?:bucket|sum|count)$/;

/** Every metric family by its name; throws for a line outside the format. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  assert.ok(text.endsWith("\n"));
  const families = new Map<string, { help: string; type: string; samples: Sample[] }>();
  const familyOf = (name: string) => {
    const family = families.get(name) ?? { help: "", type: "", samples: [] };
    families.set(name, family);
    return family;
  };
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const comment = /^# (HELP|TYPE) (\w+) (.*)$/.exec(line);
    if (comment !== null) {
      const [, kind, name = "", rest = ""] = comment;
      const family = familyOf(name);
      if (kind === "HELP") family.help = rest;
      else family.type = rest;
      continue;
    }
    const sample = readSample(line);
    const base = sample.name.replace(SUFFIX, "");
    const family =
      families.get(sample.name) ?? (families.get(base)?.type === "histogram" ? families.get(base) : undefined);
    assert.ok(family, `${sample.name} has no type`);
    family.samples.push(sample);
  }
  return families;
}

function readSample(line: string): Sample {
  const match = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/i.exec(line);
  assert.ok(match, line);
  const [, name = "", pairs = "", number = ""] = match;
  const labels: Record<string, string> = {};
  const rest = pairs.replaceAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g, (_, label: string, value: string) => {
    labels[label] = value;
    return "";
  });
  assert.equal(rest, "", line);
  const value = number === "+Inf" ? Infinity : Number(number);
  // Prometheus accepts any case; prom-client writes metrics without samples like this.
  assert.ok(!Number.isNaN(value) || number.toLowerCase() === "nan", line);
  return { name, labels, value };
}

/** The value of one series; 0 when it has not begun. */
export function valueOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const family = parseExposition(text);
  const samples = family.get(name)?.samples ?? family.get(name.replace(SUFFIX, ""))?.samples ?? [];
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.keys(sample.labels).length === Object.keys(labels).length &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  assert.ok(found.length <= 1, `${name} has ${found.length} series of these labels`);
  return found[0]?.value ?? 0;
}
