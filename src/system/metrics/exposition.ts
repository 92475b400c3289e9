// Metrics as Prometheus reads them: the text exposition format 0.0.4.
import type { MetricFamily, Sample } from "./sample.ts";

/** Writes families in their order, each with its help and type; one without a series yet has these alone. */
export async function expose(families: readonly MetricFamily[]): Promise<string> {
  const texts = await Promise.all(families.map(exposeFamily));
  return texts.join("");
}

async function exposeFamily(family: MetricFamily): Promise<string> {
  const { name, help, type } = family;
  const samples = await family.read();
  const lines = samples.map((sample) => exposeSample(name, sample));
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function exposeSample(name: string, { suffix, labels, value }: Sample): string {
  const pairs: string[] = [];
  for (let index = 0; index < labels.length; index += 2) {
    const text = labels[index + 1] as string;
    if (text !== "") pairs.push(`${labels[index]}="${escapeValue(text)}"`);
  }
  const named = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
  return `${name}${suffix}${named} ${value}\n`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
