// The slots of responses that run at once, and the queue for them. Both are shared: no organization and no key takes
// all of them, and those that wait take turns. @spec states-and-transitions; docs/wire.md (Queue);
// docs/decisions/shares.md
import { ApiError } from "../../contract/errors.ts";
import { FairCapacity, keyRoom, type Owner } from "../../base/fair-capacity.ts";
import { FairQueue } from "../../base/fair-queue.ts";

/** The right of one response to run. */
export interface Slot {
  /** Whether the response had to queue when it took the slot. */
  readonly isQueued: boolean;
  /** Resolves to true when the response may run, to false when it left the queue before. */
  readonly granted: Promise<boolean>;
  /** Leaves the queue; changes nothing once the response may run. */
  leaveQueue(): void;
  /** Frees the slot, or leaves the queue; harmless when repeated. */
  release(): void;
}

/** How many responses an organization and a key may have at once, running and queued ones; null: its share alone. */
export interface ResponsesMax {
  readonly ofOrganization: number | null;
  readonly ofKey: number | null;
}

/** The slots of this process. */
export interface Slots {
  /**
   * Takes a slot or a place in the queue. Throws 429 `rate_limit_exceeded` when the organization or the
   * key has as many as it may, 503 `gateway_overloaded` when all slots and all places of the queue are taken.
   */
  take(owner: Owner, max: ResponsesMax): Slot;
  /** Throws as `take` does, and takes nothing. */
  assertRoom(owner: Owner, max: ResponsesMax): void;
  /** Slots in use. */
  running(): number;
  /** Responses in the queue. */
  queued(): number;
  /** Responses of an organization, running and queued. */
  responsesOf(organizationId: string): number;
}

/** A queued response. */
interface Waiting {
  readonly owner: Owner;
  grant(): void;
}

/** Creates `concurrentMax` slots with a queue of `queuedMax` responses in front of them. */
export function createSlots(concurrentMax: number, queuedMax: number): Slots {
  const slots = new FairCapacity(concurrentMax);
  const places = new FairCapacity(queuedMax);
  const queue = new FairQueue<Waiting>();

  const responsesOf = (owner: string | Owner) => slots.heldBy(owner) + places.heldBy(owner);

  /** Gives the free slots to those that wait and have room in their share. */
  function serveQueue(): void {
    while (queue.size > 0) {
      const next = queue.takeNext(({ owner }) => slots.tryTake(owner, 1));
      if (next === undefined) return;
      places.giveBack(next.owner, 1);
      next.grant();
    }
  }

  function assertRoom(owner: Owner, { ofOrganization, ofKey }: ResponsesMax): void {
    if (ofKey !== null) assertKeyBelow(owner, ofKey);
    if (ofOrganization !== null) assertBelow(owner, ofOrganization);
    if (slots.roomOf(owner) >= 1 || places.roomOf(owner) >= 1) return;
    if (slots.held >= concurrentMax && places.held >= queuedMax) {
      throw new ApiError(
        "gateway_overloaded",
        "The service is running as many turns as it can and its queue is full: try again.",
      );
    }
    throw tooManyResponses(
      `Your organization has ${countOf(responsesOf(owner.organizationId))} running or queued, ` +
        `${responsesOf(owner)} of them with this API key: that is its share of the service.`,
    );
  }

  function assertKeyBelow(owner: Owner, keyMax: number): void {
    const responses = responsesOf(owner);
    if (responses < keyMax) return;
    throw tooManyResponses(`This API key has ${countOf(responses)} running or queued and may have ${keyMax} at once.`);
  }

  function assertBelow(owner: Owner, responsesMax: number): void {
    const responses = responsesOf(owner.organizationId);
    const ofKey = responsesOf(owner);
    if (keyRoom(responsesMax - responses, ofKey) >= 1) return;
    throw tooManyResponses(
      responses >= responsesMax
        ? `Your organization has ${countOf(responses)} running or queued and may have ${responsesMax} at once.`
        : `This API key has ${countOf(ofKey)} running or queued, of the ${responsesMax} that your organization may have ` +
            "at once: the rest is for its other keys.",
    );
  }

  return {
    assertRoom,
    take(owner, max) {
      assertRoom(owner, max);
      const isQueued = !slots.tryTake(owner, 1);
      const { promise: granted, resolve } = Promise.withResolvers<boolean>();
      let isRunning = false;
      const grant = (): void => {
        isRunning = true;
        resolve(true);
      };
      let leave = (): boolean => false;
      if (isQueued) {
        places.take(owner, 1);
        leave = queue.add(owner, { owner, grant });
      } else grant();
      const leaveQueue = (): void => {
        if (!leave()) return;
        places.giveBack(owner, 1);
        resolve(false);
      };
      return {
        isQueued,
        granted,
        leaveQueue,
        release() {
          leaveQueue();
          if (!isRunning) return;
          isRunning = false;
          slots.giveBack(owner, 1);
          serveQueue();
        },
      };
    },
    running: () => slots.held,
    queued: () => queue.size,
    responsesOf,
  };
}

function countOf(responses: number): string {
  return responses === 1 ? "1 response" : `${responses} responses`;
}

/** The 429 for an organization or a key that has as many responses as it may. */
function tooManyResponses(message: string): ApiError {
  return new ApiError("rate_limit_exceeded", `${message} Try again when some have ended.`);
}
