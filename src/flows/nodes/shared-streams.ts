// The open streams of an organization, counted over all nodes. @spec limits (Concurrency); docs/nodes.md
import type { Clock } from "../../ports/clock.ts";
import type { DrawnStreams, NodeStore } from "../../ports/store/nodes.ts";
import { type LocalStreams, type OpenStreams, streamLimitError } from "../access/open-streams.ts";
import { createReserve, type Reserve } from "./reserve.ts";

/** A node draws at most this many streams ahead for one organization. */
const AHEAD_MAX = 8;

/** The streams of one organization. */
interface Places {
  /** How many it may have open on all nodes together. */
  max: number;
  readonly reserve: Reserve<DrawnStreams>;
  /** Streams that are open here or wait for their place. */
  open: number;
}

/**
 * Opens streams of this process within a limit that counts those of all nodes. The store has the number of places that
 * this node holds, which each call sets: one that failed, or whose outcome is unknown, is made good by the next.
 */
export function createSharedStreams(
  clock: Clock,
  nodes: NodeStore,
  local: LocalStreams,
  isStopping: () => boolean,
): OpenStreams {
  const organizations = new Map<string, Places>();
  const open = (organizationId: string, max: number): Places => {
    const places: Places = {
      max,
      open: 0,
      reserve: createReserve<DrawnStreams>(clock, {
        draw: (wanted, held) => nodes.takeStreams({ organizationId, max: places.max, held, wanted }),
        async giveBack(_, held) {
          try {
            await nodes.keepStreams({ organizationId, places: held });
          } catch (error) {
            // The places of a node that leaves are free.
            if (!isStopping()) throw error;
          }
          if (places.open === 0 && held === 0) organizations.delete(organizationId);
        },
        aheadMax: AHEAD_MAX,
      }),
    };
    organizations.set(organizationId, places);
    return places;
  };
  /** Takes the place of one stream; the result frees it. */
  const takePlace = async (organizationId: string, max: number): Promise<() => void> => {
    const places = organizations.get(organizationId) ?? open(organizationId, max);
    places.max = max;
    places.open++;
    let isTaken = false;
    try {
      ({ isTaken } = await places.reserve.take());
    } finally {
      if (!isTaken) places.open--;
    }
    if (!isTaken) throw streamLimitError(max);
    return () => {
      places.open--;
      places.reserve.put();
    };
  };
  return {
    ...local,
    async open(owner, max) {
      const freePlace = await takePlace(owner.organizationId, max);
      let close: () => void;
      try {
        close = local.open(owner, max);
      } catch (error) {
        freePlace();
        throw error;
      }
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        close();
        freePlace();
      };
    },
  };
}
