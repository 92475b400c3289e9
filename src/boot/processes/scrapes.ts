// The metrics of all processes: whichever of them a scrape reaches, the page is the same.
import type { Clock } from "../../ports/clock.ts";
import type { KeptProcess } from "./kept-process.ts";
import { mergePages } from "./merge-pages.ts";

/** How long a process may take to render its metrics, milliseconds; after that the page does without them. */
const RENDER_MS = 2000;

export interface Scrapes {
  /** The page of all processes. */
  collect(): Promise<string>;
  /** A process has rendered its metrics. */
  rendered(number: number, request: number, page: string): void;
}

/** Collects the metrics of these processes. Scrapes at the same time share a page. */
export function createScrapes(processes: readonly KeptProcess[], clock: Pick<Clock, "after">): Scrapes {
  let requests = 0;
  let collecting: Promise<string> | null = null;
  let awaited: ReadonlyMap<number, (page: string) => void> = new Map();

  const askAll = async (): Promise<string> => {
    const request = ++requests;
    const asked = processes.map((process) => {
      const { promise, resolve } = Promise.withResolvers<string | null>();
      const stopTimer = clock.after(RENDER_MS, () => resolve(null));
      if (process.isServing()) process.tell({ kind: "render", request });
      else resolve(null);
      return { process, promise: promise.finally(stopTimer), resolve };
    });
    awaited = new Map(asked.map(({ process, resolve }) => [process.number, resolve]));
    const pages = await Promise.all(asked.map(({ promise }) => promise));
    return mergePages(
      asked.flatMap(({ process }, index) => {
        const page = pages[index] ?? null;
        const own = { number: process.number, page: describe(process, page !== null) };
        return page === null ? [own] : [own, { number: process.number, page }];
      }),
    );
  };
  return {
    collect: () =>
      (collecting ??= askAll().finally(() => {
        collecting = null;
      })),
    rendered(number, request, page) {
      if (request === requests) awaited.get(number)?.(page);
    },
  };
}

/** What the parent knows of a process. */
function describe(process: KeptProcess, isUp: boolean): string {
  return `# HELP turngate_process_up 1 if the process serves and has given its metrics.
# TYPE turngate_process_up gauge
turngate_process_up ${Number(isUp)}
# HELP turngate_process_restarts_total How often the process was started again.
# TYPE turngate_process_restarts_total counter
turngate_process_restarts_total ${process.restarts()}
`;
}
