/**
 * The rows of the benchmark, in the order they run and are printed. A new row is one file in `rows/` and one entry
 * here.
 */
import type { Row } from "./row.ts";
import { adapters } from "./rows/adapters.ts";
import { addedLatency } from "./rows/added-latency.ts";
import { postgres } from "./rows/postgres.ts";
import { providerResponses } from "./rows/provider-responses.ts";
import { bursts } from "./rows/bursts.ts";
import { failingTargets } from "./rows/failing-targets.ts";
import { firstDelta } from "./rows/first-delta.ts";
import { history } from "./rows/history.ts";
import { idleStreams } from "./rows/idle-streams.ts";
import { largeReplies } from "./rows/large-replies.ts";
import { largeRequests } from "./rows/large-requests.ts";
import { limits } from "./rows/limits.ts";
import { money } from "./rows/money.ts";
import { overload } from "./rows/overload.ts";
import { reads } from "./rows/reads.ts";
import { rejections } from "./rows/rejections.ts";
import { start } from "./rows/start.ts";
import { turns } from "./rows/turns.ts";

export const ROWS: readonly Row[] = [
  limits,
  turns,
  bursts,
  firstDelta,
  addedLatency,
  failingTargets,
  idleStreams,
  history,
  reads,
  rejections,
  overload,
  largeRequests,
  largeReplies,
  providerResponses,
  money,
  postgres,
  adapters,
  start,
];
