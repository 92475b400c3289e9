// The metrics of several processes as one page in Prometheus' text format.

/** The label that tells the processes apart. */
const LABEL = "process_number";
/** A sample: its name, and its labels and value. */
const SAMPLE = /^([A-Za-z_:][A-Za-z0-9_:]*)(\{?)/;

/** The page of one process. */
export interface NumberedPage {
  readonly number: number;
  readonly page: string;
}

/**
 * Joins pages: each sample gets the number of its process as a label. The samples of a metric stay together, as the
 * format requires.
 */
export function mergePages(pages: readonly NumberedPage[]): string {
  const metrics = new Map<string, { readonly head: string[]; readonly samples: string[] }>();
  for (const { number, page } of pages) {
    let metric: { readonly head: string[]; readonly samples: string[] } | undefined;
    for (const line of page.split("\n")) {
      const [, keyword, name = ""] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (keyword !== undefined) {
        metric = metrics.get(name) ?? { head: [], samples: [] };
        metrics.set(name, metric);
        if (!metric.head.includes(line)) metric.head.push(line);
      } else if (line !== "") metric?.samples.push(labelled(line, number));
    }
  }
  return [...metrics.values()].map(({ head, samples }) => `${[...head, ...samples].join("\n")}\n`).join("\n");
}

function labelled(sample: string, number: number): string {
  const label = `${LABEL}="${number}"`;
  return sample.replace(SAMPLE, (_, name: string, brace: string) =>
    brace === "" ? `${name}{${label}}` : `${name}{${label},`,
  );
}
