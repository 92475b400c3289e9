// Operations that list the turns that run and wait now.
import { RUNNING_TURNS_MAX } from "../../contract/manage/limits.ts";
import type { RunningTurns } from "../../ports/store/turns.ts";
import { presentRunningTurn } from "../accounts/present.ts";
import type { Capacity } from "../gateway.ts";
import type { AuthorizedRequest, OrganizationRequest } from "./authorized-request.ts";

/** The turns of one organization, the oldest first, and what this node does for it. */
export async function listRunning({ services, organization }: OrganizationRequest) {
  const { gateway, store } = services;
  const { id } = organization;
  const running = await store.listRunning({ organizationId: id, limit: RUNNING_TURNS_MAX });
  const here = gateway.runs.all().filter(({ caller }) => caller.organizationId === id);
  const queued = here.filter((run) => run.turn.status === "queued").length;
  const openStreams = gateway.openStreams.count(id);
  return {
    ...presentRunning(gateway, running),
    this_node: { in_progress: here.length - queued, queued, open_streams: openStreams },
  };
}

/** The turns of the whole service, the oldest first, and what this node does. */
export async function listAllRunning({ services }: AuthorizedRequest) {
  const { gateway, store, limits } = services;
  const running = await store.listRunning({ organizationId: null, limit: RUNNING_TURNS_MAX });
  const { turnsRunning, turnsQueued, openStreams, createsAdmitted } = gateway.occupancy();
  const { concurrent_turns, queued_turns } = limits;
  return {
    ...presentRunning(gateway, running),
    this_node: {
      in_progress: turnsRunning,
      queued: turnsQueued,
      open_streams: openStreams,
      creates_admitted: createsAdmitted,
      concurrent_turns,
      queued_turns,
    },
  };
}

function presentRunning({ runs }: Pick<Capacity, "runs">, { turns, inProgress, queued }: RunningTurns) {
  return {
    // Only the process that runs a turn knows how it is read.
    data: turns.map((turn) => ({ ...presentRunningTurn(turn), stream: runs.find(turn.id)?.isStreamed ?? null })),
    has_more: inProgress + queued > turns.length,
    in_progress: inProgress,
    queued,
  };
}
