// A process that `serve --processes` has started: the messages that it gets from its parent, and those that it sends.
import type { Signals } from "../on-signals.ts";
import type { MetricsPage } from "../../ports/telemetry.ts";
import { type Assignment, ASSIGNMENT_VARIABLE, type ToParent, type ToProcess } from "./messages.ts";

export interface Parent extends Assignment {
  /** Whether it stops all of its processes, not this one alone. */
  isStopping(): boolean;
  /** Tells that this process serves. */
  started(): void;
  /** Tells that this process has reloaded its configuration, so that the others do. */
  reloaded(): void;
  /**
   * Tells that this program cannot serve on the schema any more, and why: the parent says it and stops all of its processes.
   * Resolves when it is told.
   */
  leftBehind(reason: string): Promise<void>;
  /** A page with the metrics of all processes, given that of this one. */
  shareMetrics(page: MetricsPage): MetricsPage;
}

/**
 * The parent that has started this process; null if it was started by itself. From then on the parent's message stops
 * this process as a signal does, and this process exits at once if the parent ends.
 */
export function findParent(signals: Signals): Parent | null {
  const assignment = process.env[ASSIGNMENT_VARIABLE];
  if (assignment === undefined || process.send === undefined) return null;
  /** Scrapes at the same time share a page. */
  let scrape: PromiseWithResolvers<string> | null = null;
  let own: MetricsPage | null = null;
  let isStopping = false;
  // A process does not outlive its parent: the next start finds the port free, and other nodes settle its responses.
  process.on("disconnect", () => process.exit(1));
  process.on("message", (message: ToProcess) => {
    switch (message.kind) {
      case "stop":
        isStopping = true;
        signals.stop(message.signal);
        break;
      case "reload":
        signals.reload();
        break;
      case "render":
        void own?.render().then((page) => void tell({ kind: "page", request: message.request, page }), ignore);
        break;
      case "rendered":
        scrape?.resolve(message.page);
        scrape = null;
        break;
    }
  });
  // The channel must not keep a process alive whose start has failed.
  process.channel?.unref();
  return {
    ...(JSON.parse(assignment) as Assignment),
    isStopping: () => isStopping,
    started: () => void tell({ kind: "started" }),
    reloaded: () => void tell({ kind: "reloaded" }),
    leftBehind: (reason) => tell({ kind: "left behind", reason }),
    shareMetrics(page) {
      own = page;
      return {
        contentType: page.contentType,
        render() {
          if (scrape === null) {
            scrape = Promise.withResolvers();
            void tell({ kind: "scrape" });
          }
          return scrape.promise;
        },
      };
    },
  };
}

/** Resolves when the message is sent. */
function tell(message: ToParent): Promise<void> {
  // Sending fails only when the parent has ended, and this process with it.
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

/** A page that cannot be rendered is missing from the page of all processes. */
function ignore(): void {}
