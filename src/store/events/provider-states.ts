// Whether a provider fails, as the nodes report it: each change is an event, once over all nodes.
import type { ProviderReport } from "../../ports/store/events.ts";
import { plainOperation } from "../engine/operation.ts";
import { change, write } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import { emit } from "./feed.ts";

/** EventStore.reportProvider. */
export const reportProvider = plainOperation("write", function* (tx, report: ProviderReport, nowMs): Steps<void> {
  const { provider, isFailing, calls, failures } = report;
  yield* insertState(tx, { provider, failing: 0, sinceMs: nowMs });
  const { changes } = yield* updateState(tx, { provider, failing: Number(isFailing), sinceMs: nowMs });
  if (changes === 0) return;
  const type = isFailing ? "provider.failing" : "provider.recovered";
  emit({ organizationId: null, atMs: nowMs, type, target: provider, data: { calls, failures } }, tx);
});

const insertState = write<{ provider: string; failing: number; sinceMs: number }>(`
  insert into provider_states (provider, failing, since_ms)
  values (:provider, :failing, :sinceMs)
  on conflict do nothing`);

/** The condition decides between nodes that report the same. */
const updateState = change<{ provider: string; failing: number; sinceMs: number }>(`
  update provider_states
     set failing  = :failing,
         since_ms = :sinceMs
   where provider = :provider
     and failing <> :failing`);
