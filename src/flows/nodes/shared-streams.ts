// The open streams of an organization, counted over all nodes. @spec limits (Concurrency); docs/nodes.md
import type { Clock } from "../../ports/clock.ts";
import type { DrawnStreams, NodeStore } from "../../ports/store/nodes.ts";
import { type LocalStreams, type OpenStreams, streamLimitError } from "../access/open-streams.ts";
import { createReserve, type Reserve } from "./reserve.ts";

/** A node draws at most this many streams ahead for one organization. */
const AHEAD_MAX = 8;

/** Opens streams of this process within a limit that counts those of all nodes. */
export function createSharedStreams(clock: Clock, nodes: NodeStore, local: LocalStreams): OpenStreams {
  const reserves = new Map<string, { readonly max: number; readonly reserve: Reserve<DrawnStreams>; open: number }>();
  const find = (organizationId: string, max: number) => {
    const known = reserves.get(organizationId);
    if (known?.max === max) return known;
    const reserve = createReserve<DrawnStreams>(clock, {
      draw: (wanted) => nodes.takeStreams({ organizationId, max, wanted }),
      giveBack: (count) => nodes.returnStreams({ organizationId, count }),
      aheadMax: AHEAD_MAX,
    });
    const opened = { max, reserve, open: 0 };
    reserves.set(organizationId, opened);
    return opened;
  };
  /** Takes the place of one stream; the result frees it. */
  const takePlace = async (organizationId: string, max: number): Promise<() => void> => {
    const places = find(organizationId, max);
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
      // The reserve returns what it holds; no request needs to find it again.
      if (places.open === 0 && reserves.get(organizationId) === places) reserves.delete(organizationId);
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
