// The queries of the log of turns.
import type { paths } from "../../generated/manage.ts";
import { api, inOrganization, queryIn, type TurnGrouping } from "./client.ts";
import { paging, reading } from "./queries.ts";

/** Turns that a page of their log has. */
export const TURNS_PAGE = 50;

/** Filters of the log of turns, as its interface names them. */
export type TurnsFilter = Omit<
  NonNullable<paths["/organizations/{organization_id}/turns"]["get"]["parameters"]["query"]>,
  "limit" | "before" | "after"
>;

/** Pages of the log of turns. */
export const turnsQuery = (organizationId: string, filter: TurnsFilter) =>
  paging(
    ["turns", organizationId, filter],
    (from: { before?: string }) => {
      const query = { ...filter, ...from, limit: TURNS_PAGE };
      return api.GET("/organizations/{organization_id}/turns", queryIn(organizationId, query));
    },
    ({ older }) => older,
  );

/** The turns of a filter by hour and model. */
export const turnCountsQuery = (organizationId: string, query: TurnsFilter) =>
  reading(["turn counts", organizationId, query], () =>
    api.GET("/organizations/{organization_id}/turn-counts", queryIn(organizationId, query)),
  );

/** The turns of a filter, added up by group. */
export const turnGroupsQuery = (organizationId: string, by: TurnGrouping, filter: TurnsFilter) =>
  reading(["turn groups", organizationId, by, filter], () => {
    const query = { ...filter, by };
    return api.GET("/organizations/{organization_id}/turn-groups", queryIn(organizationId, query));
  });

/** How the turns of the last hour went, or of the hour before a time. */
export const turnSummaryQuery = (organizationId: string, query: { to?: number } = {}) =>
  reading(["turn summary", organizationId, query], () =>
    api.GET("/organizations/{organization_id}/turn-summary", queryIn(organizationId, query)),
  );

export const turnQuery = (organizationId: string, responseId: string) =>
  reading(["turn", organizationId, responseId], () =>
    api.GET(
      "/organizations/{organization_id}/turns/{response_id}",
      inOrganization(organizationId, { response_id: responseId }),
    ),
  );
