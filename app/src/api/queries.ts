// The queries of the screens (TanStack Query).
import { infiniteQueryOptions, QueryClient, queryOptions } from "@tanstack/react-query";
import type { paths } from "../../generated/manage.ts";
import { defined } from "../parts/defined.ts";
import { api, type Call, inOrganization, keyApi, type Model, queryIn, type Session, take } from "./client.ts";
import { credentials } from "./credentials.ts";
import { RequestFailure } from "./failure.ts";

/** How often an open screen refreshes its figures, milliseconds. */
export const LIVE_MS = 5000;
export const AUDIT_PAGE = 50;
const LEDGER_PAGE = 20;
/** The first part of the query key of every read with an API key. */
export const WITH_KEY = "with key";

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) =>
        failures < 2 && error instanceof RequestFailure && (error.status === null || error.status >= 500),
    },
  },
});

/** A query of what one request reads. */
export const reading = <T>(queryKey: readonly unknown[], read: () => Call<T>) =>
  queryOptions({ queryKey, queryFn: () => take(read()) });

/** A query of the rows that one request reads. */
export const listing = <Row>(queryKey: readonly unknown[], read: () => Call<{ data: Row[] }>) =>
  queryOptions({ queryKey, queryFn: async () => (await take(read())).data });

/** What an organization's query shows while it reads for other times: what it had; nothing of another organization. */
export const previousOf =
  (organizationId: string) =>
  <Data>(data: Data | undefined, query: { readonly queryKey: readonly unknown[] } | undefined): Data | undefined =>
    query?.queryKey[1] === organizationId ? data : undefined;

/** A query of the rows of all pages of a list; each page begins after the last row of the one before it. */
const listingAll = <Row extends { id: string }>(
  queryKey: readonly unknown[],
  read: (from: { after?: string }) => Call<{ data: Row[]; has_more: boolean }>,
) =>
  queryOptions({
    queryKey,
    queryFn: async () => {
      const rows: Row[] = [];
      for (let hasMore = true; hasMore; ) {
        const last = rows.at(-1);
        // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
        const page = await take(read(last === undefined ? {} : { after: last.id }));
        rows.push(...page.data);
        hasMore = page.has_more;
      }
      return rows;
    },
  });

/** A query of pages. Each is read from where the one before it ended, as `endOf` says; after the last one that is null. */
export const paging = <Page, End extends string | number>(
  queryKey: readonly unknown[],
  read: (from: { before?: End }) => Call<Page>,
  endOf: (page: Page) => End | null,
) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: null as End | null,
    queryFn: ({ pageParam }) => {
      const before = pageParam as End | null;
      return take(read(before === null ? {} : { before }));
    },
    getNextPageParam: endOf,
  });

/** The session; null when there is none. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: 60_000,
  queryFn: async (): Promise<Session | null> => {
    try {
      const session = await take(api.GET("/session"));
      credentials.csrfToken = session.csrf_token;
      return session;
    } catch (error) {
      if (error instanceof RequestFailure && error.status === 401) return null;
      throw error;
    }
  },
});

// A 401 drops the session that has ended, and the layout shows the sign-in page. Without the token, somebody signs in.
api.use({
  onResponse({ response }) {
    if (response.status === 401 && credentials.csrfToken !== null)
      queryClient.setQueryData(sessionQuery.queryKey, null);
  },
});

/** The ways to sign in. */
export const signInQuery = reading(["sign-in"], () => api.GET("/sign-in"));

/** Forgets what was read for a session. The ways to sign in belong to none, and the page that shows them may be open. */
export function forgetData(): void {
  const [signIn] = signInQuery.queryKey;
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== signIn });
  queryClient.getMutationCache().clear();
}

/** The sessions of the person who is signed in. */
export const sessionsQuery = listing(["sessions"], () => api.GET("/sessions"));

export const operatorSessionsQuery = listing(["operators", "sessions"], () => api.GET("/operators/sessions"));

export const modelsQuery = listing(["models"], () => api.GET("/models"));
/** The same without wildcards, whose ids no turn has. */
export const namedModelsQuery = {
  ...modelsQuery,
  select: (models: Model[]) => models.filter(({ id }) => !id.endsWith("*")),
};

export const organizationsQuery = listing(["organizations"], () => api.GET("/organizations"));

export const allTokensQuery = listingAll(["tokens"], (query) => api.GET("/tokens", { params: { query } }));

export const organizationQuery = (organizationId: string) =>
  reading(["organization", organizationId], () =>
    api.GET("/organizations/{organization_id}", inOrganization(organizationId)),
  );

/** How long an organization's histories are kept. */
export const retentionQuery = (organizationId: string) =>
  reading(["retention", organizationId], () =>
    api.GET("/organizations/{organization_id}/retention", inOrganization(organizationId)),
  );

export const keysQuery = (organizationId: string) =>
  listingAll(["keys", organizationId], (query) =>
    api.GET("/organizations/{organization_id}/keys", queryIn(organizationId, query)),
  );

export const membersQuery = (organizationId: string) =>
  listingAll(["members", organizationId], (query) =>
    api.GET("/organizations/{organization_id}/members", queryIn(organizationId, query)),
  );

/** The sessions of a member. */
export const memberSessionsQuery = (organizationId: string, memberId: string) =>
  listing(["member sessions", organizationId, memberId], () =>
    api.GET(
      "/organizations/{organization_id}/members/{member_id}/sessions",
      inOrganization(organizationId, { member_id: memberId }),
    ),
  );

export const tokensQuery = (organizationId: string) =>
  listingAll(["tokens", organizationId], (query) =>
    api.GET("/organizations/{organization_id}/tokens", queryIn(organizationId, query)),
  );

export const budgetsQuery = (organizationId: string) =>
  listing(["budgets", organizationId], () =>
    api.GET("/organizations/{organization_id}/budgets", inOrganization(organizationId)),
  );

/** What holders of keys ask for beyond their budgets. */
export const increasesQuery = (organizationId: string) =>
  listing(["increases", organizationId], () =>
    api.GET("/organizations/{organization_id}/budget-increases", inOrganization(organizationId)),
  );

/** The standing of the key of this tab. */
export const keyHolderQuery = reading([WITH_KEY, "me"], () => keyApi.GET("/me"));

/** Pages of the conversations of the key of this tab. */
export const keyConversationsQuery = paging(
  [WITH_KEY, "conversations"],
  (query: { before?: string }) => keyApi.GET("/me/conversations", { params: { query } }),
  ({ data, has_more: hasMore }) => (hasMore ? (data.at(-1)?.place ?? null) : null),
);

/** The limits in force, and what one node has used of them. */
export const limitsQuery = (organizationId: string) =>
  reading(["limits", organizationId], () =>
    api.GET("/organizations/{organization_id}/limits", inOrganization(organizationId)),
  );

/** What runs and waits now in an organization. */
export const runningQuery = (organizationId: string) =>
  reading(["running", organizationId], () =>
    api.GET("/organizations/{organization_id}/running", inOrganization(organizationId)),
  );

/** What runs and waits now in the whole service. */
export const allRunningQuery = reading(["running"], () => api.GET("/running"));

/** The processes that share the database. */
export const nodesQuery = reading(["nodes"], () => api.GET("/nodes"));

/** The health of the providers, as one node has observed it. */
export const providersQuery = listing(["providers"], () => api.GET("/providers"));

export const configurationQuery = reading(["configuration"], () => api.GET("/configuration"));

/** Which usage, as its interface names it; without `by` its total. */
export type UsageFilter = NonNullable<paths["/usage"]["get"]["parameters"]["query"]>;

/** Rows of usage of an organization, or (null) of all. */
export const usageQuery = (organizationId: string | null, query: UsageFilter) =>
  reading(["usage", organizationId, query], () =>
    organizationId === null
      ? api.GET("/usage", { params: { query } })
      : api.GET("/organizations/{organization_id}/usage", queryIn(organizationId, query)),
  );

/** Pages of an organization's transfers, or of its top-ups alone. */
export const transfersQuery = (organizationId: string, kind: "topup" | undefined) =>
  paging(
    ["transfers", organizationId, kind],
    (from: { before?: number }) => {
      const query = { ...from, limit: LEDGER_PAGE, ...defined({ kind }) };
      return api.GET("/organizations/{organization_id}/ledger", queryIn(organizationId, query));
    },
    ({ older }) => older,
  );

/** Pages of the events of an organization, or (null) of all. */
export const eventsQuery = (organizationId: string | null) =>
  paging(
    ["events", organizationId],
    (query: { before?: number }) =>
      organizationId === null
        ? api.GET("/events", { params: { query } })
        : api.GET("/organizations/{organization_id}/events", queryIn(organizationId, query)),
    ({ data, has_more: hasMore }) => (hasMore ? (data.at(-1)?.id ?? null) : null),
  );

/** Pages of failed responses and rejected requests. */
export const errorsQuery = (
  organizationId: string,
  filter: Omit<NonNullable<paths["/organizations/{organization_id}/errors"]["get"]["parameters"]["query"]>, "before">,
) =>
  paging(
    ["errors", organizationId, filter],
    (from: { before?: string }) =>
      api.GET("/organizations/{organization_id}/errors", queryIn(organizationId, { ...filter, ...from })),
    ({ older }) => older,
  );

/** Failures, by default of the last 24 hours. */
export const failuresQuery = (
  organizationId: string,
  query: NonNullable<paths["/organizations/{organization_id}/failures"]["get"]["parameters"]["query"]> = {},
) =>
  reading(["failures", organizationId, query], () =>
    api.GET("/organizations/{organization_id}/failures", queryIn(organizationId, query)),
  );

export const rejectionQuery = (organizationId: string, requestId: string) =>
  reading(["rejection", organizationId, requestId], () =>
    api.GET(
      "/organizations/{organization_id}/rejections/{request_id}",
      inOrganization(organizationId, { request_id: requestId }),
    ),
  );

/** What an id leads to. */
export const idQuery = (organizationId: string, id: string) =>
  listing(["id", organizationId, id], () =>
    api.GET("/organizations/{organization_id}/ids/{id}", inOrganization(organizationId, { id })),
  );

/** Which entries of the audit log, as its interface names them. */
export type AuditQuery = Omit<NonNullable<paths["/audit"]["get"]["parameters"]["query"]>, "limit" | "before">;

/** Pages of the audit log of an organization, or (null) of all. */
export const auditQuery = (organizationId: string | null, filter: AuditQuery) =>
  paging(
    ["audit", organizationId, filter],
    (from: { before?: number }) => {
      const query = { ...filter, ...from, limit: AUDIT_PAGE };
      return organizationId === null
        ? api.GET("/audit", { params: { query } })
        : api.GET("/organizations/{organization_id}/audit", queryIn(organizationId, query));
    },
    ({ older }) => older,
  );
