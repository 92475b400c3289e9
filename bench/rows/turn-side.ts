/** Sides that put a closed loop of turns on a gateway, for the rows that compare gateways. */
import { closedLoop } from "../load/closed-loop.ts";
import { CHAT_DELTA, inspectAnswer, inspectStream, RESPONSES_DELTA } from "../load/preflight.ts";
import { requestBytes, type RequestParts } from "../load/request.ts";
import { chatTurn, responsesTurn, type FakeModel } from "../load/turn.ts";
import { portkeyHeaders, startPortkey } from "../peers/portkey.ts";
import type { Child } from "../process/child.ts";
import type { Side, Stage } from "../row.ts";

export interface TurnLoad {
  readonly model: FakeModel;
  readonly isStream: boolean;
  readonly clients: number;
}

/** A side of Responses turns: ours, TRANS, STORING. */
export function responsesSide(
  name: string,
  gateway: Child,
  load: TurnLoad,
  headers: Readonly<Record<string, string>> = {},
): Promise<Side> {
  return turnSide(name, gateway, load, responsesTurn({ ...load, headers }), RESPONSES_DELTA);
}

/** A side of chat completions: PASS, Portkey, the provider itself. */
export function chatSide(
  name: string,
  gateway: Child,
  load: TurnLoad,
  headers: Readonly<Record<string, string>> = {},
): Promise<Side> {
  return turnSide(name, gateway, load, chatTurn({ ...load, headers }), CHAT_DELTA);
}

/** Portkey, on its better runtime for this very load, as a side. */
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
    : inspectAnswer(port, parts));
  const requests = [requestBytes(parts)];
  return {
    name,
    measure: (seconds) => closedLoop({ port, pid, clients: load.clients, seconds, requests, bytesMin }),
  };
}
