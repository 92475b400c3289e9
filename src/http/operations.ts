// Operation to flow: the one place where a route's name meets the function that serves it.
import type { Operation } from "../contract/routes.ts";
import type { Exchange, Reply } from "../flows/exchange.ts";

/** What http/ asks of the flows. */
export interface Service {
  /** One flow an operation; it answers or throws a refusal. */
  readonly operations: Readonly<Record<Operation, (exchange: Exchange) => Promise<Reply>>>;
  /** For every other path under /v1, with its Authorization headers: refuses a bad key, then with the uniform 404. */
  refuseUnknownRoute(authorization: readonly string[]): Promise<never>;
}
