// What an operation of /v1 does for an admitted caller: one file each, named after the operation.
import type { Admitted } from "./access/admit.ts";
import type { Gateway } from "./gateway.ts";
import type { Reply, RequestContext } from "./request-context.ts";

/** Serves a request whose caller was admitted (access/admit.ts); throws an ApiError. */
export type Flow = (gateway: Gateway, context: RequestContext, admitted: Admitted) => Promise<Reply>;
