// Serves one routed request of the management server: calls its operation and sends the reply.
import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { notFound } from "../../contract/errors.ts";
import { type BodyRule, MANAGE_BODIES } from "../../contract/manage/bodies.ts";
import { MANAGE_QUERIES, type QueryShape } from "../../contract/manage/queries.ts";
import { MANAGE_BODY_BYTES_MAX, USER_AGENT_CHARACTERS_MAX } from "../../contract/manage/limits.ts";
import type { ManageOperation, ManageRoute } from "../../contract/manage/routes.ts";
import { bodyOf, type NamedOperation, queryOf } from "../../manage/operation.ts";
import { serveOperation } from "../../manage/serve-operation.ts";
import type { ManageRequest, ManageServices } from "../../flows/manage/services.ts";
import { readPlainBody } from "../shared/body.ts";
import { type BodyCapacity, BodyReservation } from "../shared/body-capacity.ts";
import { type RequestHead, readHead, readQuery } from "../shared/request-head.ts";
import type { RoutedRequest } from "../shared/router.ts";
import { sendJson } from "../shared/send.ts";
import { cookieHeaders, readCookies } from "./cookies.ts";
import { respondError } from "./respond.ts";

const BODIES: Readonly<Partial<Record<ManageOperation, BodyRule>>> = MANAGE_BODIES;
const QUERIES: Readonly<Partial<Record<ManageOperation, QueryShape>>> = MANAGE_QUERIES;

/** Everything that serving a request needs besides the request. */
export interface ServerContext {
  readonly services: ManageServices;
  readonly bodyCapacity: BodyCapacity;
}

/** Serves a request for an operation. */
export async function serveRoute(
  routed: RoutedRequest,
  route: ManageRoute | NamedOperation,
  { services, bodyCapacity }: ServerContext,
): Promise<void> {
  const open = { ...routed, operation: route.operation };
  // Bodies are also read before anybody has signed in.
  const address = routed.request.socket.remoteAddress ?? "";
  const reservation = new BodyReservation(bodyCapacity, () => ({ organizationId: address, keyId: address }));
  const isSecure = services.manageUrl?.startsWith("https:") === true;
  try {
    const head = readHead(routed.request);
    const rule = "run" in route ? bodyOf(route) : BODIES[route.operation];
    const parameters = "run" in route ? queryOf(route) : QUERIES[route.operation];
    // Their readers are loaded late: they check by a library that no start needs.
    const readInput = async (): Promise<object | undefined> => {
      if (parameters) {
        const { readManageQuery } = await import("../../manage/read-query.ts");
        return readManageQuery(readQuery(routed.request.url ?? ""), parameters);
      }
      // An operation without a body: Node discards what was sent.
      if (!rule) return undefined;
      const bytes = await readPlainBody(routed.request, head, { bytesMax: MANAGE_BODY_BYTES_MAX, reservation });
      const { readManageBody } = await import("../../manage/read-body.ts");
      return readManageBody(bytes, rule);
    };
    const reply = await serveOperation(services, route, readRequest(routed, head, isSecure), readInput);
    sendJson(open, 200, JSON.stringify(reply.body), cookieHeaders(reply.cookies, isSecure));
  } catch (error) {
    respondError(open, error, services.log);
  } finally {
    reservation.release();
  }
}

function readRequest({ request, params }: RoutedRequest, head: RequestHead, isSecure: boolean): ManageRequest {
  // The router matches `/members//sign-in-link` with an empty id; it is an unknown path.
  if (Object.values(params).includes("")) throw notFound();
  return {
    authorization: head.authorization,
    ...readCookies(request.headersDistinct["cookie"] ?? [], isSecure),
    csrfToken: soleHeader(request, "x-csrf-token"),
    origin: soleHeader(request, "origin"),
    fetchSite: soleHeader(request, "sec-fetch-site"),
    ownOrigin: `http://${request.headers.host ?? localAddress(request)}`,
    address: request.socket.remoteAddress ?? "",
    userAgent: readUserAgent(request),
    params,
  };
}

/** The address that an HTTP/1.0 request without a Host header was sent to. */
function localAddress({ socket: { localAddress: address = "", localPort } }: IncomingMessage): string {
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort}`;
}

/** Lists of sessions show it, also in a terminal: only printable characters are kept. */
function readUserAgent(request: IncomingMessage): string | null {
  const text = soleHeader(request, "user-agent");
  return text?.slice(0, USER_AGENT_CHARACTERS_MAX).replaceAll(/[^ -~]/g, "?") ?? null;
}

/** Null if the header is absent. A repeated header is joined, which makes no valid value. */
function soleHeader(request: IncomingMessage, name: string): string | null {
  return request.headersDistinct[name]?.join(", ") ?? null;
}
