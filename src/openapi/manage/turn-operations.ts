// Descriptions of the operations that read turns and rejected requests.
import { tagged } from "./operation-text.ts";

export const TURN_OPERATIONS = tagged("Turns", {
  listRunning: {
    summary: "List what runs and waits now, of the organization",
    description:
      "The turns are those of all nodes. Whether they are streamed, the queue and the open streams are known of the node that answers.",
  },
  listTurns: {
    summary: "List turns, newest first, without their content",
    description:
      "Members see only the turns of their own keys. A page reads a limited number of turns to find those of a filter: it may have fewer than `limit`, or none, and `has_more` be true.",
  },
  showTurn: {
    summary: "Show a turn, without its content",
    description: "Members see only the turns of their own keys.",
  },
  countTurns: {
    summary: "Count turns by the hour in which they began, and by model",
    description:
      "With the filters of the log of turns. Members see only the turns of their own keys. The newest 10,000 turns are read at most: when there are more, `read_from` says from when on the counts are complete.",
  },
  groupTurns: {
    summary: "Add up turns by end user, label, conversation, model, key or member",
    description:
      "With the filters of the log of turns. Members see only the turns of their own keys. The 100 groups that were charged most are listed, the others added up; with the turns that belong to no group they are the total. The newest 10,000 turns are read at most: when there are more, `read_from` says from when on the sums are complete.",
  },
  showTurnSummary: {
    summary: "Show how the turns of the last hour went",
    description:
      "How many began, a minute and in all, how many failed by code, and the percentiles of their times. Members see those of their own keys. The newest 1,000 turns are read at most: when the hour has more, `has_more` is true and `from` is the time of the oldest that was read. `from` and `to` are those of the log of turns.",
  },
  listRejections: {
    summary: "List requests that got an error response, newest first",
    description:
      "Members see only those of their own keys. A node keeps 20 of a key and 100 of an organization a minute and counts the others (`skipped`); the newest 2,000 of an organization are kept, for 7 days. Requests without a valid key are not kept.",
  },
  showRejection: {
    summary: "Say why a request was rejected, and what would let it through",
    description: "By the `x-request-id` of its response, a second after it. Members see only those of their own keys.",
  },
  listAllRunning: {
    summary: "List what runs and waits now, of all organizations",
    description: "As for one organization.",
  },
});
