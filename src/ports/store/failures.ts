// Failed creates, counted. docs/management.md (Failures)
import type { ErrorCode } from "../../contract/errors.ts";
import type { FailureCode } from "../../contract/failures.ts";
import type { FailureGrouping, FailureKind } from "../../contract/manage/failure-counts.ts";

/** What is counted together. */
export interface FailureSeries {
  readonly organizationId: string;
  readonly kind: FailureKind;
  readonly code: ErrorCode | FailureCode;
  /** Null: it was not known, or of too many. */
  readonly model: string | null;
  /** The provider that failed; null: none did. */
  readonly provider: string | null;
}

export interface CountedFailures extends FailureSeries {
  readonly failures: number;
}

/** A sum; what it is not grouped by is null, and so is a model or provider that was not known. */
export interface FailureSum {
  /** Hours since 1970. */
  readonly hour: number | null;
  readonly kind: FailureKind | null;
  readonly code: ErrorCode | FailureCode | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly failures: number;
}

export interface FailureStore {
  /** Sums of an organization, or (null) of all, between two hours, both inclusive; in order of time, then the highest first. */
  sumFailures(query: {
    organizationId: string | null;
    from: number;
    to: number;
    by: readonly FailureGrouping[];
    limit: number;
  }): Promise<readonly FailureSum[]>;
}
