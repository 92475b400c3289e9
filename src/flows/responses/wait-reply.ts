// Non-streaming replies: wait for the end of a run, up to the non-streaming wait. @spec states-and-transitions
import { ApiError } from "../../contract/errors.ts";
import { presentResponse } from "../../core/response/present.ts";
import type { StoredResponse } from "../../core/response/response.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { Services } from "../../ports/services.ts";
import type { Reply } from "../request-context.ts";
import type { Run, RunEnd } from "../run/run.ts";

type WaitNeeds = Pick<Services, "clock" | "limits" | "store">;

/**
 * The settled response, or after the wait the running one (200, empty output, same id; the response goes on). The wait
 * ends early when the store does not accept the response's end. Throws one of the three provider errors when the
 * response was withdrawn (docs/wire.md, Provider failures), 504 `request_timeout` when the wait ended and the store
 * could not be read.
 */
export async function waitReply(services: WaitNeeds, run: Run): Promise<Reply> {
  const { clock, limits } = services;
  const { promise: waited, resolve: endWait } = Promise.withResolvers<null>();
  const stopWaiting = () => {
    run.disclose();
    endWait(null);
  };
  const stopTimer = clock.after(limits.non_streaming_wait_seconds * 1000, stopWaiting);
  run.whenLate(stopWaiting);
  try {
    const end = (await Promise.race([run.ended, waited])) ?? (await endAfterWait(services, run));
    if (end.kind === "withdrawn") throw end.error;
    return present(end.response);
  } finally {
    stopTimer();
  }
}

/**
 * The response as the store has it, so that a retrieve confirms the reply; a response that is being withdrawn is
 * awaited, unless the store is late with that.
 */
async function endAfterWait({ store }: WaitNeeds, run: Run): Promise<RunEnd> {
  const read = () => store.readResponse({ caller: run.caller, responseId: run.head.id });
  try {
    let response = await read();
    if (response === null || run.isBeingWithdrawn) {
      const end = await run.endedInTime().catch(nullIfLate);
      if (end !== null) return end;
      response = await read();
      if (response === null) throw new StoreError("unavailable", "It may have been withdrawn.");
    }
    return { kind: "settled", charge: null, response };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ApiError("request_timeout", `The wait ended and the response ${run.head.id} could not be read.`, {
      cause: error,
    });
  }
}

function nullIfLate(error: unknown): null {
  if (error instanceof StoreError && error.kind === "unavailable") return null;
  throw error;
}

function present(response: StoredResponse): Reply {
  return { kind: "json", body: presentResponse(response) };
}
