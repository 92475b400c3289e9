/** Sides with a closed loop of turns, for the rows that compare gateways. */
import { closedLoop } from "../load/closed-loop.ts";
import { CHAT_DELTA, inspectResponse, inspectStream, RESPONSES_DELTA } from "../load/preflight.ts";
import { requestBytes, type RequestParts } from "../load/request.ts";
import { chatTurn, responsesTurn } from "../load/turn.ts";
import { portkeyHeaders, startPortkey } from "../peers/portkey.ts";
import type { Child } from "../process/child.ts";
import type { Side, Stage } from "../row.ts";

export interface TurnLoad {
  readonly model: string;
  readonly isStream: boolean;
  readonly clients: number;
}

/** A side with Responses turns: Turngate, TRANS, STORING. */
export function responsesSide(
  name: string,
  gateway: Child,
  load: TurnLoad,
  headers: Readonly<Record<string, string>> = {},
): Promise<Side> {
  return turnSide(name, gateway, load, responsesTurn({ ...load, headers }), RESPONSES_DELTA);
}

/** A side with chat completions: PASS, Portkey, the provider. */
export function chatSide(
  name: string,
  gateway: Child,
  load: TurnLoad,
  headers: Readonly<Record<string, string>> = {},
): Promise<Side> {
  return turnSide(name, gateway, load, chatTurn({ ...load, headers }), CHAT_DELTA);
}

/** Portkey as a side, on the runtime that is faster for this load. */
export async function portkeySide(stage: Stage, load: TurnLoad): Promise<{ side: Side; runtime: string }> {
  const headers = portkeyHeaders(stage.providerPort);
  const portkey = await startPortkey(stage, async (contender) => {
    const side = await chatSide("Portkey", contender, load, headers);
    return (await side.measure(stage.isQuick ? 1 : 2))["rate"] ?? 0;
  });
  return { side: await chatSide("Portkey", portkey, load, headers), runtime: portkey.name };
}

async function turnSide(
  name: string,
  gateway: Child,
  load: TurnLoad,
  parts: RequestParts,
  deltaFrame: string,
): Promise<Side> {
  const { port, pid } = gateway;
  const bytesMin = await (load.model === "fake-burst"
    ? inspectStream(port, parts, deltaFrame)
    : inspectResponse(port, parts));
  const requests = [requestBytes(parts)];
  return {
    name,
    measure: (seconds) => closedLoop({ port, pid, clients: load.clients, seconds, requests, bytesMin }),
  };
}
