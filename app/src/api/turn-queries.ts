// The queries of the log of turns.
import type { paths } from "../../generated/manage.ts";
import { api, inOrganization, type TurnGrouping } from "./client.ts";
import { paging, reading } from "./queries.ts";

/** Turns that a page of their log has. */
export const TURNS_PAGE = 50;

/** Filters of the log of turns, as its interface names them. */
export type TurnsFilter = Omit<
  NonNullable<paths["/organizations/{organization_id}/turns"]["get"]["parameters"]["query"]>,
  "limit" | "before" | "after"
>;

/** Pages of the log of turns. */
export const turnsQuery = (id: string, filter: TurnsFilter) =>
  paging(
    ["turns", id, filter],
    (from: { before?: string }) => {
      const query = { ...filter, ...from, limit: TURNS_PAGE };
      return api.GET("/organizations/{organization_id}/turns", { params: { path: { organization_id: id }, query } });
    },
    ({ older }) => older,
  );

/** The turns of a filter by hour and model. */
export const turnCountsQuery = (id: string, query: TurnsFilter) =>
  reading(["turn counts", id, query], () =>
    api.GET("/organizations/{organization_id}/turn-counts", { params: { path: { organization_id: id }, query } }),
  );

/** The turns of a filter, added up by group. */
export const turnGroupsQuery = (id: string, by: TurnGrouping, filter: TurnsFilter) =>
  reading(["turn groups", id, by, filter], () => {
    const query = { ...filter, by };
    return api.GET("/organizations/{organization_id}/turn-groups", {
      params: { path: { organization_id: id }, query },
    });
  });

/** How the turns of the last hour went. */
export const turnSummaryQuery = (id: string) =>
  reading(["turn summary", id], () => api.GET("/organizations/{organization_id}/turn-summary", inOrganization(id)));

export const turnQuery = (id: string, responseId: string) =>
  reading(["turn", id, responseId], () =>
    api.GET("/organizations/{organization_id}/turns/{response_id}", inOrganization(id, { response_id: responseId })),
  );
