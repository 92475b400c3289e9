// The queries of the screens (TanStack Query).
import { infiniteQueryOptions, MutationCache, QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";
import type { paths } from "../../generated/manage.ts";
import { api, keyApi, type Session, take } from "./client.ts";
import { credentials } from "./credentials.ts";
import { RequestFailure } from "./failure.ts";

/** How often an open screen refreshes its figures, milliseconds. */
export const LIVE_MS = 5000;
export const AUDIT_PAGE = 50;
const LEDGER_PAGE = 20;
/** The first part of the query key of every read with an API key. */
export const WITH_KEY = "with key";

/**
 * Drops the session when a 401 shows that it has ended; the layout then shows the sign-in page. A 401 to an API key is
 * about that key.
 */
function noticeEnd(error: unknown, isWithKey = false): void {
  if (isWithKey || !(error instanceof RequestFailure) || error.status !== 401) return;
  if (queryClient.getQueryData(sessionQuery.queryKey) != null) queryClient.setQueryData(sessionQuery.queryKey, null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => noticeEnd(error, query.queryKey[0] === WITH_KEY) }),
  mutationCache: new MutationCache({ onError: (error) => noticeEnd(error) }),
  defaultOptions: {
    queries: {
      retry: (failures, error) =>
        failures < 2 && error instanceof RequestFailure && (error.status === null || error.status >= 500),
    },
  },
});

/** The path parameters of an organization's operations. */
export const of = (organizationId: string) => ({ params: { path: { organization_id: organizationId } } });

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

/** The ways to sign in. */
export const signInQuery = queryOptions({
  queryKey: ["sign-in"],
  queryFn: () => take(api.GET("/sign-in")),
});

/** Forgets what was read for a session. The ways to sign in belong to none, and the page that shows them may be open. */
export function forgetData(): void {
  const [signIn] = signInQuery.queryKey;
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== signIn });
  queryClient.getMutationCache().clear();
}

/** The sessions of the person who is signed in. */
export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async () => (await take(api.GET("/sessions"))).data,
});

export const operatorSessionsQuery = queryOptions({
  queryKey: ["operators", "sessions"],
  queryFn: async () => (await take(api.GET("/operators/sessions"))).data,
});

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async () => (await take(api.GET("/models"))).data,
});

export const organizationsQuery = queryOptions({
  queryKey: ["organizations"],
  queryFn: async () => (await take(api.GET("/organizations"))).data,
});

export const allTokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: async () => (await take(api.GET("/tokens"))).data,
});

export const organizationQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id],
    queryFn: () => take(api.GET("/organizations/{organization_id}", of(id))),
  });

/** How long an organization's histories are kept. */
export const retentionQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "retention"],
    queryFn: () => take(api.GET("/organizations/{organization_id}/retention", of(id))),
  });

export const keysQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "keys"],
    queryFn: async () => (await take(api.GET("/organizations/{organization_id}/keys", of(id)))).data,
  });

export const membersQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "members"],
    queryFn: async () => (await take(api.GET("/organizations/{organization_id}/members", of(id)))).data,
  });

/** The sessions of a member. */
export const memberSessionsQuery = (id: string, memberId: string) =>
  queryOptions({
    queryKey: ["organization", id, "members", memberId, "sessions"],
    queryFn: async () => {
      const params = { path: { organization_id: id, member_id: memberId } };
      return (await take(api.GET("/organizations/{organization_id}/members/{member_id}/sessions", { params }))).data;
    },
  });

export const tokensQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "tokens"],
    queryFn: async () => (await take(api.GET("/organizations/{organization_id}/tokens", of(id)))).data,
  });

export const budgetsQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "budgets"],
    queryFn: async () => (await take(api.GET("/organizations/{organization_id}/budgets", of(id)))).data,
  });

/** What holders of keys ask for beyond their budgets. */
export const increasesQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "increases"],
    queryFn: async () => (await take(api.GET("/organizations/{organization_id}/budget-increases", of(id)))).data,
  });

/** The standing of the key of this tab. */
export const keyHolderQuery = queryOptions({
  queryKey: [WITH_KEY, "me"],
  queryFn: () => take(keyApi.GET("/me")),
});

/** The limits in force, and what one node has used of them. */
export const limitsQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "limits"],
    queryFn: () => take(api.GET("/organizations/{organization_id}/limits", of(id))),
  });

/** What runs and waits now in an organization. */
export const runningQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "running"],
    queryFn: () => take(api.GET("/organizations/{organization_id}/running", of(id))),
  });

/** What runs and waits now in the whole service. */
export const allRunningQuery = queryOptions({
  queryKey: ["running"],
  queryFn: () => take(api.GET("/running")),
});

/** The processes that share the database. */
export const nodesQuery = queryOptions({
  queryKey: ["nodes"],
  queryFn: () => take(api.GET("/nodes")),
});

/** The health of the providers, as one node has observed it. */
export const providersQuery = queryOptions({
  queryKey: ["providers"],
  queryFn: async () => (await take(api.GET("/providers"))).data,
});

export const configurationQuery = queryOptions({
  queryKey: ["configuration"],
  queryFn: () => take(api.GET("/configuration")),
});

/** Which usage, as its interface names it; without `by` its total. */
export type UsageFilter = NonNullable<paths["/usage"]["get"]["parameters"]["query"]>;

/** Rows of usage of an organization, or (null) of all. */
export const usageQuery = (id: string | null, filter: UsageFilter) =>
  queryOptions({
    queryKey: id === null ? ["usage", filter] : ["organization", id, "usage", filter],
    queryFn: () => {
      if (id === null) return take(api.GET("/usage", { params: { query: filter } }));
      const params = { path: { organization_id: id }, query: filter };
      return take(api.GET("/organizations/{organization_id}/usage", { params }));
    },
  });

/** Pages of an organization's transfers, or of its top-ups alone. */
export const transfersQuery = (id: string, kind: "topup" | undefined) =>
  infiniteQueryOptions({
    queryKey: ["organization", id, "ledger", kind],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam: before }) => {
      const query = {
        limit: LEDGER_PAGE,
        ...(before === null ? {} : { before }),
        ...(kind === undefined ? {} : { kind }),
      };
      const params = { path: { organization_id: id }, query };
      return take(api.GET("/organizations/{organization_id}/ledger", { params }));
    },
    getNextPageParam: ({ older }) => older,
  });

/** Pages of the events of an organization, or (null) of all. */
export const eventsQuery = (id: string | null) =>
  infiniteQueryOptions({
    queryKey: id === null ? ["events"] : ["organization", id, "events"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam: before }) => {
      const query = before === null ? {} : { before };
      if (id === null) return take(api.GET("/events", { params: { query } }));
      const params = { path: { organization_id: id }, query };
      return take(api.GET("/organizations/{organization_id}/events", { params }));
    },
    getNextPageParam: ({ data, has_more: hasMore }) => (hasMore ? (data.at(-1)?.id ?? null) : null),
  });

/** The latest rejected requests. */
export const rejectionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["organization", id, "rejections"],
    queryFn: async () => (await take(api.GET("/organizations/{organization_id}/rejections", of(id)))).data,
  });

export const rejectionQuery = (id: string, requestId: string) =>
  queryOptions({
    queryKey: ["organization", id, "rejections", requestId],
    queryFn: () => {
      const params = { path: { organization_id: id, request_id: requestId } };
      return take(api.GET("/organizations/{organization_id}/rejections/{request_id}", { params }));
    },
  });

/** Which entries of the audit log, as its interface names them. */
export type AuditQuery = Omit<NonNullable<paths["/audit"]["get"]["parameters"]["query"]>, "limit" | "before">;

/** Pages of the audit log of an organization, or (null) of all. */
export const auditQuery = (id: string | null, filter: AuditQuery) =>
  infiniteQueryOptions({
    queryKey: id === null ? ["audit", filter] : ["organization", id, "audit", filter],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam: before }) => {
      const query = { ...filter, limit: AUDIT_PAGE, ...(before === null ? {} : { before }) };
      if (id === null) return take(api.GET("/audit", { params: { query } }));
      const params = { path: { organization_id: id }, query };
      return take(api.GET("/organizations/{organization_id}/audit", { params }));
    },
    getNextPageParam: ({ older }) => older,
  });
