// The state of a node, as the command line and the management interface name it.
import type { NodeState } from "../../contract/manage/nodes.ts";
import type { NodeRecord } from "../../ports/store/nodes.ts";

/** `gone` when the node has left or died, `draining` while it stops, else `serving`. */
export function nodeState({ goneAtMs, isDraining }: Pick<NodeRecord, "goneAtMs" | "isDraining">): NodeState {
  if (goneAtMs !== null) return "gone";
  return isDraining ? "draining" : "serving";
}
