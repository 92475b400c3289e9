// What the parent and the processes that it has started say to each other, over Node's channel between them.
import type { SharedSockets } from "../../server/shared/acceptors.ts";

/** The variable that tells a process that it was started by a parent: its number, from 1. */
export const NUMBER_VARIABLE = "TURNGATE_PROCESS_NUMBER";

/** What a process is to do, sent once. */
export interface Assignment {
  /** Whether it prints the greeting. */
  readonly greets: boolean;
  /** The sockets of /v1 and of the management interface. */
  readonly v1: SharedSockets;
  readonly manage: SharedSockets;
}

export type ToProcess =
  | { readonly kind: "serve"; readonly assignment: Assignment }
  /** Stop in order; `signal` is the one that the parent has got. */
  | { readonly kind: "stop"; readonly signal: string }
  /** Reload the configuration. */
  | { readonly kind: "reload" }
  /** Render your own metrics. */
  | { readonly kind: "render"; readonly request: number }
  /** The metrics of all processes. */
  | { readonly kind: "rendered"; readonly request: number; readonly page: string };

export type ToParent =
  /** It serves. */
  | { readonly kind: "started" }
  /** The management interface has reloaded its configuration. */
  | { readonly kind: "reloaded" }
  /** Its own metrics. */
  | { readonly kind: "page"; readonly request: number; readonly page: string }
  /** A scrape has reached it, which wants the metrics of all. */
  | { readonly kind: "scrape"; readonly request: number };
