// Serves one routed request of the management server: calls its operation and sends the reply.
import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { USER_AGENT_CHARACTERS_MAX } from "../../contract/manage/limits.ts";
import { bodyOf, type NamedOperation, queryOf } from "../../manage/definition/operation.ts";
import { serveOperation } from "../../manage/definition/serve-operation.ts";
import type { ManageRequest, ManageServices } from "../../flows/manage/services.ts";
import type { ObservedRequest } from "../../ports/telemetry.ts";
import { type RequestHead, readQuery } from "../shared/request-head.ts";
import type { RoutedRequest } from "../shared/http-server.ts";
import { jsonBody } from "../shared/send.ts";
import { serve, type ServerContext } from "../shared/serve.ts";
import { cookieHeaders, readCookies } from "./cookies.ts";

/** Metrics and traces are about /v1. */
export const UNOBSERVED: ObservedRequest = { during: (work) => work(), ended() {} };

/** What serving a request of this interface needs besides. */
export interface ManageContext extends ServerContext {
  /** The network address of the client. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Why every request is a 503: a later version has migrated the database. Null: it has not. */
  readonly leftBehind: () => Error | null;
}

/** Serves a request for an operation. */
export function serveRoute(
  routed: RoutedRequest,
  route: NamedOperation,
  services: ManageServices,
  server: ManageContext,
): void {
  const isSecure = services.manageUrl?.startsWith("https:") === true;
  const rule = bodyOf(route);
  const parameters = queryOf(route);
  serve(routed, { operation: route.name, observed: UNOBSERVED }, server, async ({ head }, { read }) => {
    const leftBehind = server.leftBehind();
    if (leftBehind !== null) throw leftBehind;
    // The readers are loaded late: they check by a library that no start needs.
    const readInput = async (): Promise<object | undefined> => {
      const { readManageQuery } = await import("../../manage/definition/read-query.ts");
      const query = readManageQuery(readQuery(routed.request.url ?? ""), parameters ?? {});
      if (route.method === "GET") return parameters === null ? undefined : query;
      const bytes = await read();
      const { NO_BODY, readManageBody } = await import("../../manage/definition/read-body.ts");
      const body = readManageBody(bytes, rule ?? NO_BODY);
      return rule === null ? undefined : body;
    };
    const reply = await serveOperation(
      services,
      route,
      readRequest(routed, head, { isSecure, address: server.addressOf(routed.request) }),
      readInput,
    );
    return jsonBody(200, JSON.stringify(reply.body), cookieHeaders(reply.cookies, isSecure));
  });
}

function readRequest(
  { request, params }: RoutedRequest,
  head: RequestHead,
  { isSecure, address }: { readonly isSecure: boolean; readonly address: string },
): ManageRequest {
  return {
    authorization: head.authorization,
    ...readCookies(request.headersDistinct["cookie"] ?? [], isSecure),
    csrfToken: soleHeader(request, "x-csrf-token"),
    origin: soleHeader(request, "origin"),
    fetchSite: soleHeader(request, "sec-fetch-site"),
    ownOrigin: `http://${request.headers.host ?? localAddress(request)}`,
    address,
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
