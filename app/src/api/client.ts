// The management interface, typed from openapi-manage.json.
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "../../generated/manage.ts";
import { credentials } from "./credentials.ts";
import { readFailure, unreachable } from "./failure.ts";

type Schemas = components["schemas"];
export type Session = Schemas["Session"];
export type Organization = Schemas["Organization"];
export type Retention = Schemas["Retention"];
export type Key = Schemas["KeyList"]["data"][number];
export type Member = Schemas["Member"];
export type SignInWays = Schemas["SignInWays"];
export type ListedSession = Schemas["SessionList"]["data"][number];
export type Token = Schemas["TokenList"]["data"][number];
export type Model = Schemas["ModelList"]["data"][number];
export type Budget = Schemas["Budget"];
export type BudgetIncrease = Schemas["BudgetIncreaseList"]["data"][number];
export type BudgetTrial = Schemas["BudgetTrial"];
export type PolicyTrial = Schemas["PolicyTrial"];
export type UsageList = Schemas["UsageList"];
export type UsageRow = UsageList["data"][number];
export type AuditAction = NonNullable<NonNullable<paths["/audit"]["get"]["parameters"]["query"]>["action"]>;
export type AuditEntry = Schemas["AuditPage"]["data"][number];
export type FeedEvent = Schemas["EventPage"]["data"][number];
export type RejectionDetail = Schemas["RejectionDetail"];
export type ErrorEntry = Schemas["ErrorPage"]["data"][number];
export type ErrorCode = ErrorEntry["code"];
export type FailureSums = Schemas["FailureSums"];
export type FailureSum = FailureSums["data"][number];
export type KeyHolder = Schemas["KeyHolder"];
export type LimitsNow = Schemas["LimitsNow"];
export type SpendingPage = Schemas["SpendingPage"];
export type Spending = SpendingPage["data"][number];
export type Running = Schemas["Running"];
export type ManagedNode = Schemas["NodeList"]["data"][number];
export type ProviderHealth = Schemas["ProviderHealthList"]["data"][number];
export type ProviderCheck = Schemas["ProviderCheck"];
export type LoggedTurn = Schemas["TurnPage"]["data"][number];
export type Transfer = Schemas["TransferPage"]["data"][number];
export type TurnCounts = Schemas["TurnCounts"];
export type TurnGroups = Schemas["TurnGroups"];
export type TurnGrouping = TurnGroups["by"];
export type TurnSummary = Schemas["TurnSummary"];
export type TurnDetail = Schemas["TurnDetail"];
export type TurnStatus = LoggedTurn["status"];
export type FailureCode = NonNullable<LoggedTurn["failure_code"]>;
export type Role = Session["role"];

export const api = createClient<paths>({ baseUrl: "/manage/api" });

api.use({
  onRequest({ request }) {
    const { csrfToken } = credentials;
    if (csrfToken !== null) request.headers.set("x-csrf-token", csrfToken);
    return request;
  },
  onError({ error }) {
    return unreachable(error);
  },
});

/** Requests carry the key of the tab. */
export const WITH_TAB_KEY: Middleware = {
  onRequest({ request }) {
    if (credentials.key !== null) request.headers.set("authorization", `Bearer ${credentials.key}`);
    return request;
  },
  onError: ({ error }) => unreachable(error),
};

/** The same interface for the holder of the tab's API key; its requests carry no cookie. */
export const keyApi = createClient<paths>({ baseUrl: "/manage/api", credentials: "omit" });

keyApi.use(WITH_TAB_KEY);

/** The path of an organization's operation, with the further ids that it takes. */
export const inOrganization = <Ids extends object = object>(organizationId: string, ids?: Ids) => ({
  params: { path: { organization_id: organizationId, ...(ids as Ids) } },
});

/** The same of an operation that takes a query. */
export const queryIn = <Query>(organizationId: string, query: Query) => ({
  params: { path: { organization_id: organizationId }, query },
});

/** A request of a client. */
export type Call<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** The body of a 2xx response; throws a RequestFailure for everything else. */
export async function take<T>(call: Call<T>): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw readFailure(error, response);
  return data;
}
