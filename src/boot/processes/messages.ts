// What the parent and the processes that it has started say to each other, over Node's channel between them.
import type { SharedSockets } from "../../server/shared/acceptors.ts";

/** The variable that tells a process that it was started by a parent: its assignment, as JSON. */
export const ASSIGNMENT_VARIABLE = "TURNGATE_PROCESS";

/** What a process is to do. */
export interface Assignment {
  /** From 1; a process that is started again keeps it. */
  readonly number: number;
  /** Whether it prints the greeting. */
  readonly greets: boolean;
  /** The sockets of /v1 and of the management interface. */
  readonly v1: SharedSockets;
  readonly manage: SharedSockets;
}

export type ToProcess =
  /** Stop in order; `signal` is the one that the parent has got. */
  | { readonly kind: "stop"; readonly signal: string }
  /** Reload the configuration. */
  | { readonly kind: "reload" }
  /** Render your own metrics. */
  | { readonly kind: "render"; readonly request: number }
  /** The metrics of all processes. */
  | { readonly kind: "rendered"; readonly page: string };

export type ToParent =
  /** It serves. */
  | { readonly kind: "started" }
  /** The management interface has reloaded its configuration. */
  | { readonly kind: "reloaded" }
  /** Its own metrics. */
  | { readonly kind: "page"; readonly request: number; readonly page: string }
  /** A scrape has reached it, which wants the metrics of all. */
  | { readonly kind: "scrape" }
  /** A later version has migrated the schema: no process of this program can serve any more. */
  | { readonly kind: "left behind"; readonly reason: string };
