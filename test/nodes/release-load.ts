// The load of the drill of two releases: clients that never repeat a request, each of which sends priced turns, some of
// them streamed, and continues what it began.
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceProcess } from "../cli/service-process.ts";
import { until } from "../support/until.ts";

/** The configuration of the drill. */
export const RELEASE_CONFIG = `
providers: { simulated: { type: simulated } }
models:
  - id: drill/priced
    provider: simulated
    upstream_model: echo
    group: [temperature]
    context_window: 100000
    max_output_tokens: 1000
    prices: { input: 1000, output: 2000 }
`;

export interface LoadReport {
  /** Replies by their status; `cut`: a stream without an end; `gone`: the node did not reply. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The ids of the responses that clients were told of, oldest first. */
  readonly created: readonly string[];
}

/** Two clients of each node, until the result is called and they have created at least so many. */
export function load(nodes: readonly ServiceProcess[], key: string): (least?: number) => Promise<LoadReport> {
  const statuses = new Map<string, number>();
  const created: string[] = [];
  const state = { isOver: false };
  const live = async (node: ServiceProcess): Promise<void> => {
    let last: string | null = null;
    for (let turn = 0; !state.isOver; turn++) {
      // oxlint-disable no-await-in-loop -- one request after the other
      try {
        // Every second turn is streamed, and every fifth begins anew.
        const { status, id } = await create(node, key, {
          previous: turn % 5 === 0 ? null : last,
          stream: turn % 2 === 1,
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (id !== null) created.push((last = id));
        else await sleep(20);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        statuses.set("gone", (statuses.get("gone") ?? 0) + 1);
        return;
      }
      // oxlint-enable no-await-in-loop
    }
  };
  const living = Promise.all(nodes.flatMap((node) => [live(node), live(node)]));
  return async (least = 0) => {
    await until(`${least} responses`, () => created.length >= least);
    state.isOver = true;
    await living;
    return { statuses: Object.fromEntries(statuses), created };
  };
}

/** Creates a response; its id is null unless it has completed. Rejects when the node cannot be reached. */
async function create(
  { baseUrl }: ServiceProcess,
  key: string,
  { previous, stream }: { readonly previous: string | null; readonly stream: boolean },
): Promise<{ readonly status: string; readonly id: string | null }> {
  const reply = await fetch(`${baseUrl}/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "drill/priced", input: "Hello", stream, previous_response_id: previous }),
  });
  const text = await reply.text();
  if (reply.status !== 200) return { status: String(reply.status), id: null };
  const [, ended] = /^event: response\.completed\ndata: (.*)$/m.exec(text) ?? [];
  if (stream && ended === undefined) return { status: "cut", id: null };
  const { id, status } = stream ? JSON.parse(ended ?? "").response : JSON.parse(text);
  return status === "completed" ? { status: "200", id } : { status, id: null };
}
