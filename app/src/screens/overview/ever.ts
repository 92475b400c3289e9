// The usage of all time: whether there is any decides what an overview shows.
import type { UsageList } from "../../api/client.ts";
import { LIVE_MS, usageQuery } from "../../api/queries.ts";

/** The usage of all time, which takes long: it is read again only until there is some. */
export const everQuery = (organizationId: string) => ({
  ...usageQuery(organizationId, {}),
  refetchInterval: ({ state: { data } }: { state: { data?: UsageList | undefined } }) =>
    data !== undefined && isUsed(data) ? (false as const) : LIVE_MS,
});

/** Whether there was a response. */
export const isUsed = (ever: UsageList) => (ever.data[0]?.responses ?? 0) > 0;
