// The queries of the log of turns.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { paths } from "../../generated/manage.ts";
import { api, take, type TurnGrouping } from "./client.ts";
import { of } from "./queries.ts";

/** Turns that a page of their log has. */
export const TURNS_PAGE = 50;

/** Filters of the log of turns, as its interface names them. */
export type TurnsFilter = Omit<
  NonNullable<paths["/organizations/{organization_id}/turns"]["get"]["parameters"]["query"]>,
  "limit" | "before" | "after"
>;

/** Pages of the log of turns. */
export const turnsQuery = (id: string, filter: TurnsFilter) =>
  infiniteQueryOptions({
    queryKey: ["organization", id, "turns", filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam: before }) => {
      const query = { ...filter, limit: TURNS_PAGE, ...(before === null ? {} : { before }) };
      const params = { path: { organization_id: id }, query };
      return take(api.GET("/organizations/{organization_id}/turns", { params }));
    },
    getNextPageParam: ({ older }) => older,
  });

/** The turns of a filter by hour and model. */
export const turnCountsQuery = (id: string, filter: TurnsFilter) =>
  queryOptions({
    queryKey: ["organization", id, "turn-counts", filter],
    queryFn: () => {
      const params = { path: { organization_id: id }, query: filter };
      return take(api.GET("/organizations/{organization_id}/turn-counts", { params }));
    },
  });

/** The turns of a filter, added up by group. */
export const turnGroupsQuery = (id: string, by: TurnGrouping, filter: TurnsFilter) =>
  queryOptions({
    queryKey: ["organization", id, "turn-groups", by, filter],
    queryFn: () => {
      const params = { path: { organization_id: id }, query: { ...filter, by } };
      return take(api.GET("/organizations/{organization_id}/turn-groups", { params }));
    },
  });

/** How the turns of the last hour went. */
export const turnSummaryQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "turn-summary"],
    queryFn: () => take(api.GET("/organizations/{organization_id}/turn-summary", of(id))),
  });

export const turnQuery = (id: string, responseId: string) =>
  queryOptions({
    queryKey: ["organization", id, "turn", responseId],
    queryFn: () => {
      const params = { path: { organization_id: id, response_id: responseId } };
      return take(api.GET("/organizations/{organization_id}/turns/{response_id}", { params }));
    },
  });
