// Requests that got an error response, for people who ask why. docs/management.md
import type { ErrorCode } from "../../contract/errors.ts";
import type { Operation } from "../../contract/routes.ts";
import type { CountedFailures } from "./failures.ts";

export interface Rejection {
  /** As in `x-request-id`. */
  readonly requestId: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly atMs: number;
  readonly operation: Operation;
  /** Of a create; null: of another operation, or none that exists was named. */
  readonly model: string | null;
  readonly status: number;
  readonly code: ErrorCode;
  readonly param: string | null;
  /** Null where it may quote the request. */
  readonly message: string | null;
  /** Rejected requests of the key before this one that were not kept. */
  readonly skipped: number;
  /** The provider that failed, and what it said; null: none did, or it said nothing. */
  readonly provider: string | null;
  readonly providerStatus: number | null;
  readonly providerRequestId: string | null;
}

export interface KeptRejection extends Rejection {
  readonly id: number;
  readonly keyName: string | null;
}

export interface RejectionStore {
  /** Keeps rejections, of each organization the newest REJECTIONS_KEPT_MAX; adds counted failures to their sums. */
  keepRejections(keep: { rejections: readonly Rejection[]; failures: readonly CountedFailures[] }): Promise<void>;
  /**
   * Those of an organization, or of the member's keys in it, by time and then by id, newest first: only those before
   * `before`, if given (`atMs` null: the time of the one with the id), and of a key, a code and a model.
   */
  listRejections(query: {
    organizationId: string;
    memberId: string | null;
    keyId?: string | null;
    code?: ErrorCode | null;
    model?: string | null;
    before: { readonly id: number; readonly atMs: number | null } | null;
    limit: number;
  }): Promise<readonly KeptRejection[]>;
  /** The one of a request; null when none is kept, or it is another organization's or not of the member's keys. */
  findRejection(query: {
    organizationId: string;
    memberId: string | null;
    requestId: string;
  }): Promise<KeptRejection | null>;
}
