// A process that `serve --processes` has started: the messages that it gets from its parent, and those that it sends.
import type { Signals } from "../on-signals.ts";
import type { MetricsPage } from "../../ports/telemetry.ts";
import { type Assignment, NUMBER_VARIABLE, type ToParent, type ToProcess } from "./messages.ts";

export interface Parent extends Assignment {
  /** Whether it stops all of its processes, not this one alone. */
  isStopping(): boolean;
  /** Tells that this process serves. */
  started(): void;
  /** Tells that this process has reloaded its configuration, so that the others do. */
  reloaded(): void;
  /** A page with the metrics of all processes, given that of this one. */
  shareMetrics(page: MetricsPage): MetricsPage;
}

/** Whether a parent has started this process. */
export function hasParent(): boolean {
  return process.env[NUMBER_VARIABLE] !== undefined && process.send !== undefined;
}

/**
 * Connects to the parent; resolves when it has said what to do. From then on its message stops this process as a signal
 * does, and this process exits at once if the parent ends.
 */
export async function connectToParent(signals: Signals): Promise<Parent> {
  const { promise: assigned, resolve: assign } = Promise.withResolvers<Assignment>();
  const waiting = new Map<number, (page: string) => void>();
  let requests = 0;
  let own: MetricsPage | null = null;
  let isStopping = false;
  // A process does not outlive its parent: the next start finds the port free, and other nodes settle its turns.
  process.on("disconnect", () => process.exit(1));
  process.on("message", (message: ToProcess) => {
    switch (message.kind) {
      case "serve":
        assign(message.assignment);
        break;
      case "stop":
        isStopping = true;
        signals.stop(message.signal);
        break;
      case "reload":
        signals.reload();
        break;
      case "render":
        void own?.render().then((page) => tell({ kind: "page", request: message.request, page }), ignore);
        break;
      case "rendered":
        waiting.get(message.request)?.(message.page);
        waiting.delete(message.request);
        break;
    }
  });
  const assignment = await assigned;
  // The channel must not keep a process alive whose start has failed.
  process.channel?.unref();
  return {
    ...assignment,
    isStopping: () => isStopping,
    started: () => tell({ kind: "started" }),
    reloaded: () => tell({ kind: "reloaded" }),
    shareMetrics(page) {
      own = page;
      return {
        contentType: page.contentType,
        render() {
          const request = ++requests;
          const { promise, resolve } = Promise.withResolvers<string>();
          waiting.set(request, resolve);
          tell({ kind: "scrape", request });
          return promise;
        },
      };
    },
  };
}

function tell(message: ToParent): void {
  // Sending fails only when the parent has ended, and this process with it.
  process.send?.(message, undefined, undefined, ignore);
}

/** A page that cannot be rendered is missing from the page of all processes. */
function ignore(): void {}
