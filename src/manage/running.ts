// What runs and waits now. docs/management.md
import Type from "typebox";
import { RUNNING_TURNS_MAX } from "../contract/manage/limits.ts";
import { seconds } from "../contract/manage/resource-fields.ts";
import { MANAGERS, OPERATOR } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { RUNNING_STATUSES } from "../contract/statuses.ts";
import type { Context } from "./definition/context.ts";
import { ORG_OPTION } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";

const thisNode = {
  in_progress: Type.Integer(),
  queued: Type.Integer(),
  open_streams: Type.Integer(),
};
const running = {
  data: Type.Array(
    Type.Object({
      id: Type.String({ description: "the response" }),
      organization: Type.String(),
      key: Type.String(),
      key_name: Type.String(),
      model: Type.String(),
      since: seconds,
      status: oneOf(RUNNING_STATUSES),
      stream: orNull(Type.Boolean({ description: "null: it runs on another node" })),
    }),
    { description: `The oldest ${RUNNING_TURNS_MAX}, oldest first.` },
  ),
  has_more: Type.Boolean(),
  in_progress: Type.Integer({ description: "running turns, on all nodes" }),
  queued: Type.Integer({ description: "turns that wait for a slot, on all nodes" }),
};
const onThisNode = { description: "On the node that answers." };

const listRunning = operation({
  route: "GET /organizations/:organization_id/running",
  roles: MANAGERS,
  summary: "List the organization's running and queued turns",
  description:
    "The turns of all nodes. `stream`, the queue and the open streams are known for the answering node only.",
  output: { Running: Type.Object({ ...running, this_node: Type.Object(thisNode, onThisNode) }) },
  async run(context) {
    const { id } = context.organization;
    const here = context.capacity?.runs.all().filter(({ caller }) => caller.organizationId === id) ?? [];
    const queued = here.filter((run) => run.response.status === "queued").length;
    return {
      ...(await list(context, id)),
      this_node: {
        in_progress: here.length - queued,
        queued,
        open_streams: context.capacity?.openStreams.count(id) ?? 0,
      },
    };
  },
});

const listAllRunning = operation({
  route: "GET /running",
  roles: OPERATOR,
  summary: "List running and queued turns of all organizations",
  description: "The same as `GET /organizations/{organization_id}/running`, for all organizations.",
  command: {
    words: "running",
    help: `list the turns that run or wait now, on any node: the ${RUNNING_TURNS_MAX} oldest`,
    variants: { organization_id: { operation: listRunning, ...ORG_OPTION } },
    whenEmpty: "No turn is running.",
  },
  output: {
    AllRunning: Type.Object({
      ...running,
      this_node: Type.Object(
        {
          ...thisNode,
          creates_admitted: Type.Integer({
            description: "creates between arrival and begin, and turns being settled",
          }),
          concurrent_turns: Type.Integer({ description: "most turns in progress" }),
          queued_turns: Type.Integer({ description: "longest queue" }),
        },
        onThisNode,
      ),
    }),
  },
  async run(context) {
    const { concurrent_turns, queued_turns } = context.limits;
    const none = { responsesRunning: 0, responsesQueued: 0, openStreams: 0, createsAdmitted: 0 };
    const { responsesRunning, responsesQueued, openStreams, createsAdmitted } = context.capacity?.occupancy() ?? none;
    return {
      ...(await list(context, null)),
      this_node: {
        in_progress: responsesRunning,
        queued: responsesQueued,
        open_streams: openStreams,
        creates_admitted: createsAdmitted,
        concurrent_turns,
        queued_turns,
      },
    };
  },
});

/** The turns of one organization, or of all (null). */
async function list({ store, capacity }: Context, organizationId: string | null) {
  const { responses, inProgress, queued } = await store.listRunning({ organizationId, limit: RUNNING_TURNS_MAX });
  return {
    data: responses.map(({ id, organizationId: organization, keyId, keyName, model, createdAt, status }) => ({
      id,
      organization,
      key: keyId,
      key_name: keyName,
      model,
      since: createdAt,
      status,
      // Only the process that runs a turn knows how it is read.
      stream: capacity?.runs.find(id)?.isStreamed ?? null,
    })),
    has_more: inProgress + queued > responses.length,
    in_progress: inProgress,
    queued,
  };
}

export const RUNNING = { tag: "Turns", operations: { listAllRunning, listRunning } } as const satisfies Subject;
