/** Warms up a gateway, for rows whose own load is too light for that. */
import type { Child } from "../process/child.ts";
import type { Side } from "../row.ts";
import { closedLoop } from "./closed-loop.ts";

const CLIENTS = 64;

/** A side warmed by a closed loop of the same request, which must return 200. */
export function warmedBy(request: Buffer, { port, pid }: Pick<Child, "port" | "pid">, side: Side): Side {
  return { ...side, warm: (seconds) => closedLoop({ port, pid, clients: CLIENTS, seconds, requests: [request] }) };
}
