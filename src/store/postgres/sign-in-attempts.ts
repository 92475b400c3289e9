// The attempts to sign in that all nodes count together. See docs/nodes.md
import { MINUTE_MS } from "../../base/time.ts";
import { drawAllowance } from "../../core/access/allowance.ts";
import type { DrawnAttempt } from "../../ports/store/nodes.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { lock, one, write } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import { type AllowanceRow, decodeAllowance } from "./quotas.ts";

/** Rows that a draw removes at most. It adds one, so that rows of more than a minute ago do not pile up. */
const FORGOTTEN_MAX = 100;

/** NodeStore.drawAttempt. */
export const drawAttempt = plainProcedure(
  "write",
  function* (tx, { hash, perMinute }: { hash: string; perMinute: number }, nowMs): Steps<DrawnAttempt> {
    yield* insertAttempts(tx, { hash });
    yield* lockAttempts(tx, { hash });
    const before = decodeAllowance(yield* selectAttempts(tx, { hash }));
    const { allowance, isGranted, retryAfterMs } = drawAllowance(before, perMinute, nowMs);
    yield* updateAttempts(tx, { hash, remaining: allowance.left, atMs: allowance.atMs });
    yield* forgetFull(tx, { beforeMs: nowMs - MINUTE_MS, max: FORGOTTEN_MAX });
    return { isGranted, retryAfterMs };
  },
);

const insertAttempts = write<{ hash: string }>(`
  insert into sign_in_attempts (hash)
  values (:hash)
  on conflict do nothing`);

const lockAttempts = lock<{ hash: string }>(`
  select hash from sign_in_attempts where hash = :hash`);

const selectAttempts = one<{ hash: string }, AllowanceRow>(`
  select remaining, at_ms as atMs
    from sign_in_attempts
   where hash = :hash`);

const updateAttempts = write<{ hash: string; remaining: number; atMs: number }>(`
  update sign_in_attempts
     set remaining = :remaining,
         at_ms     = :atMs
   where hash = :hash`);

/** Waits for no row that another draw has locked, so two draws cannot wait for each other. */
const forgetFull = write<{ beforeMs: number; max: number }>(`
  delete from sign_in_attempts
   where hash in (select hash
                    from sign_in_attempts
                   where at_ms < :beforeMs
                   order by at_ms
                   limit +:max
                     for update skip locked)`);
