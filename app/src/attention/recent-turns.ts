// The ended turns of the last days by the hour, to compare failures with.
import type { UsageList } from "../api/client.ts";
import { usageQuery } from "../api/queries.ts";
import { dayIn } from "../parts/days.ts";

/** Today and the two days before it, by hours of UTC. */
export const recentHoursQuery = (organizationId: string) =>
  usageQuery(organizationId, { by: "hour", from: dayIn("UTC", 2), to: dayIn("UTC"), zone: "UTC" });

/** The turns of the hours from one second to another, in Unix seconds. */
export function turnsBetween({ data }: UsageList, from: number, to = Infinity): number {
  const rows = data.filter(({ from: begin }) => begin !== undefined && begin >= from && begin < to);
  return rows.reduce((sum, { responses }) => sum + responses, 0);
}
