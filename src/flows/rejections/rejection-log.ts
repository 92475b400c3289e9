// Keeps rejected requests for people who ask why: collected in memory, within bounds that no client can exceed, and
// written in batches off the path of requests.
import { MINUTE_MS } from "../../base/time.ts";
import type { ApiError } from "../../contract/errors.ts";
import { REJECTIONS_OF_KEY_A_MINUTE, REJECTIONS_OF_ORGANIZATION_A_MINUTE } from "../../contract/manage/limits.ts";
import type { Operation } from "../../contract/routes.ts";
import { plainParam, REJECTION_RULES } from "../../core/explanations/rejections.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { Services } from "../../ports/services.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { Rejection, RejectionStore } from "../../ports/store/rejections.ts";
import { createFailureCounts } from "./failure-counts.ts";

/** A batch is written so long after its first rejection. */
const WRITE_AFTER_MS = 1000;
/** Rejections in memory, over all organizations; some 300 bytes each. */
const WAITING_MAX = 1000;

/** A request that gets an error response. */
export interface RejectedRequest {
  readonly requestId: string;
  readonly operation: Operation;
  /** Null: not authenticated; nothing is kept of it. */
  readonly caller: Caller | null;
  /** As the client wrote it; null: not known. */
  readonly model: string | null;
}

/** The rejections that this process keeps. */
export interface Rejections {
  keep(request: RejectedRequest, error: ApiError): void;
  /** Writes what waits. Never rejects. */
  write(): Promise<void>;
}

interface RejectionServices extends Pick<Services, "clock" | "log" | "modelSet"> {
  readonly telemetry: Pick<Services["telemetry"], "createFailed">;
  readonly store: RejectionStore;
}

/** Creates the keeping of rejections of a process. */
export function createRejections({ store, clock, log, modelSet, telemetry }: RejectionServices): Rejections {
  let waiting: Rejection[] = [];
  const failures = createFailureCounts();
  let minute = 0;
  /** How many were kept in this minute, by key and by organization. */
  const kept = new Map<string, number>();
  /** How many of a key were not kept since one was. */
  const skipped = new Map<string, number>();
  let stopTimer: (() => void) | null = null;

  /** Counts a rejection to be kept; false when a bound is reached. */
  const count = ({ organizationId, keyId }: Caller): boolean => {
    const now = Math.floor(clock.nowMs() / MINUTE_MS);
    if (now !== minute) kept.clear();
    minute = now;
    const [ofKey, ofOrganization] = [kept.get(keyId) ?? 0, kept.get(organizationId) ?? 0];
    if (waiting.length >= WAITING_MAX || ofKey >= REJECTIONS_OF_KEY_A_MINUTE) return false;
    if (ofOrganization >= REJECTIONS_OF_ORGANIZATION_A_MINUTE) return false;
    kept.set(keyId, ofKey + 1);
    kept.set(organizationId, ofOrganization + 1);
    return true;
  };
  const write = async (): Promise<void> => {
    stopTimer?.();
    stopTimer = null;
    const rejections = waiting;
    waiting = [];
    const counted = failures.take();
    if (rejections.length === 0 && counted.length === 0) return;
    // Rejections explain errors and must cause none: those that cannot be stored are lost.
    await store.keepRejections({ rejections, failures: counted }).catch((error: unknown) => {
      log.warn("rejections.lost", { rejections: rejections.length }, error);
    });
  };
  return {
    keep({ requestId, operation, caller, model: named }, error) {
      if (caller === null) return;
      const { organizationId, keyId } = caller;
      const known = named === null ? undefined : modelSet().catalog.find(named);
      // Of a wildcard, whose names clients choose, the wildcard itself.
      const model = known === undefined ? null : (known.namedBy ?? known.id);
      const upstream = error.cause instanceof UpstreamError ? error.cause : null;
      stopTimer ??= clock.after(WRITE_AFTER_MS, () => void write());
      // One whose provider failed has been counted with its response (run/running-response.ts).
      if (operation === "createResponse" && upstream === null) {
        const failure = { kind: "rejected", code: error.code, model, provider: null } as const;
        failures.add({ organizationId, ...failure }, clock.nowMs());
        telemetry.createFailed(failure);
      }
      if (!count(caller)) {
        // There are as many keys as customers make; their counts must not take unbounded memory.
        if (skipped.size >= WAITING_MAX) skipped.clear();
        skipped.set(keyId, (skipped.get(keyId) ?? 0) + 1);
        return;
      }
      const { code, status, message } = error;
      waiting.push({
        requestId,
        organizationId,
        keyId,
        atMs: clock.nowMs(),
        operation,
        model,
        status,
        code,
        param: plainParam(error.param),
        message: REJECTION_RULES[code].hasPlainMessage === true ? message : null,
        skipped: skipped.get(keyId) ?? 0,
        provider: upstream?.provider ?? null,
        providerStatus: upstream?.status ?? null,
        providerRequestId: upstream?.requestId ?? null,
      });
      skipped.delete(keyId);
    },
    write,
  };
}
