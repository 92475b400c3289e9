// Nodes: processes that share one store. Their membership, the responses that they stop for each other, the limits that
// they share, and tasks that one of them does. All times are the store's own. See docs/nodes.md
import type { AllowanceClass } from "../../contract/routes.ts";
import type { ResponseHead } from "../../core/response/response.ts";
import type { Caller } from "./histories.ts";

/** A process that serves, or has served, on the store. */
export interface NodeRecord {
  /** The number that its running responses carry. */
  readonly id: number;
  /** Host and process, for people. */
  readonly name: string;
  /** The version of the program. */
  readonly version: string;
  /** The newest version of the schema that it knows; null: its release does not say so. */
  readonly schemaVersion: number | null;
  /** The check value of its current root secret; null: its release does not say so. */
  readonly rootCheck: string | null;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** When its lease is over by the store's clock; when it counts as dead, the other nodes decide by their own. */
  readonly leaseUntilMs: number;
  /** Whether its lease is over by the store's clock. When no node is left to notice, that is all that shows its death. */
  readonly isLeaseOver: boolean;
  readonly isDraining: boolean;
  /** When it left or was taken for dead; null: it is a member. */
  readonly goneAtMs: number | null;
  readonly runningResponses: number;
}

/** A node's lease, which each renewal changes. */
export type Lease = Pick<NodeRecord, "id" | "name" | "leaseUntilMs">;

/** A response that a node runs, as the store knows it. */
export interface OwnResponse extends Pick<ResponseHead, "id" | "createdAt"> {
  readonly isStopRequested: boolean;
}

export interface AllowanceDraw {
  /** The organization, or the key. */
  readonly ownerId: string;
  readonly allowanceClass: AllowanceClass | "tokens";
  readonly perMinute: number;
  readonly wanted: number;
}

/** How many were granted, and the allowance after that: how many are left, and times in milliseconds. */
export interface DrawnAllowance {
  readonly granted: number;
  readonly left: number;
  readonly resetMs: number;
  readonly retryAfterMs: number;
}

/** Whether an attempt to sign in was granted, and the time until the next one is, milliseconds. */
export interface DrawnAttempt {
  readonly isGranted: boolean;
  readonly retryAfterMs: number;
}

/** How many streams were granted, and how many are left for all nodes. */
export interface DrawnStreams {
  readonly granted: number;
  readonly left: number;
}

export interface NodeStore {
  /** Makes this process a node under a new number. Responses that begin from now on are its own. */
  join(node: { name: string; version: string; rootCheck: string; leaseMs: number }): Promise<void>;
  /**
   * Extends the lease. False when this process is no member: another node took it for dead and settles its responses,
   * so it has to join again.
   */
  renew(renewal: { leaseMs: number; isDraining: boolean }): Promise<boolean>;
  /** Ends the membership at once, when no response runs any more. */
  leave(): Promise<void>;
  /** The leases of the other members. */
  listLeases(): Promise<readonly Lease[]>;
  /**
   * Ends the membership of a node that has not renewed this lease; its running responses are orphans then. False when
   * it has, or is no member any more.
   */
  expire(lease: Lease): Promise<boolean>;
  /** The members, and the nodes that left or died within the last day; oldest first. */
  listNodes(): Promise<readonly NodeRecord[]>;

  /** This node's responses that have not ended, and whether they are to stop: somebody asked for it, or deleted them. */
  listRunning(): Promise<readonly OwnResponse[]>;
  /** Asks the node that runs a caller's response to stop it. False when the response is not running. */
  requestStop(query: { caller: Caller; responseId: string }): Promise<boolean>;

  /** Takes up to `wanted` requests, or all `wanted` tokens or none, from an allowance that all nodes share. */
  drawAllowance(draw: AllowanceDraw): Promise<DrawnAllowance>;
  /** Returns `wanted` requests or tokens that were drawn and not used; takes them when `wanted` is negative. */
  returnAllowance(draw: AllowanceDraw): Promise<void>;
  /**
   * Takes up to `wanted` of the `max` places for streams that an organization has on all nodes together, beside the
   * `held` ones that this node has already.
   */
  takeStreams(query: { organizationId: string; max: number; held: number; wanted: number }): Promise<DrawnStreams>;
  /** Sets how many places this node holds: streams that are open, or drawn ahead. Those of a node that has gone are free. */
  keepStreams(query: { organizationId: string; places: number }): Promise<void>;

  /** Counts an attempt to sign in under the hash of an address, of which `perMinute` are granted on all nodes together. */
  drawAttempt(query: { hash: string; perMinute: number }): Promise<DrawnAttempt>;

  /** Takes a task for this node, or keeps it, for `leaseMs`. False while another node has it. */
  takeTask(query: { task: string; leaseMs: number }): Promise<boolean>;
}
