/** Keeps a gateway busy until it is warm, for rows whose own load is too thin for that. */
import type { Child } from "../process/child.ts";
import { closedLoop } from "./closed-loop.ts";

const CLIENTS = 64;

/** Sends the request over and over for so many seconds; refuses with an error when it is answered with anything but 200. */
export async function warmUp(
  { port, pid }: Pick<Child, "port" | "pid">,
  request: Buffer,
  seconds: number,
): Promise<void> {
  await closedLoop({ port, pid, clients: CLIENTS, seconds, requests: [request] });
}
