// One routed request to its operation and back.
import type { IncomingMessage } from "node:http";
import { invalidInput, notFound } from "../contract/errors.ts";
import { type BodyRule, MANAGE_BODIES, MANAGE_QUERIES } from "../contract/manage/bodies.ts";
import { MANAGE_BODY_BYTES_MAX } from "../contract/manage/limits.ts";
import type { ManageOperation } from "../contract/manage/routes.ts";
import { type ManagedRoute, serveOperation } from "../flows/manage/serve-operation.ts";
import type { ManageRequest, ManageWorld } from "../flows/manage/world.ts";
import { readPlainBody } from "../listener/body.ts";
import { checkHost } from "../listener/node-server.ts";
import { type RequestHead, readHead, readQuery } from "../listener/request-head.ts";
import type { RoutedRequest } from "../listener/router.ts";
import { answerError, sendJson } from "./answer.ts";
import { readManageBody } from "./check-body.ts";
import { cookieHeaders, readSessionCookies } from "./cookies.ts";

const BODIES: Readonly<Partial<Record<ManageOperation, BodyRule>>> = MANAGE_BODIES;

/** Serves a request for an operation. */
export async function serveManaged(routed: RoutedRequest, route: ManagedRoute, world: ManageWorld): Promise<void> {
  const call = { ...routed, operation: route.operation };
  const isSecure = world.manageUrl?.startsWith("https:") === true;
  try {
    const head = readHead(routed.request);
    checkHost(routed, head.hosts);
    const rule = BODIES[route.operation];
    const readBody = async (): Promise<unknown> => {
      // A body sent to an operation that reads none is left to Node, which discards it.
      if (rule === undefined) return undefined;
      return readManageBody(await readPlainBody(routed.request, head, MANAGE_BODY_BYTES_MAX), rule);
    };
    const reply = await serveOperation(world, route, readRequest(routed, route, head, isSecure), readBody);
    sendJson(call, 200, reply.body, cookieHeaders(reply, isSecure));
  } catch (error) {
    answerError(call, error, world.log);
  }
}

function readRequest(
  { request, params }: RoutedRequest,
  { operation }: ManagedRoute,
  head: RequestHead,
  isSecure: boolean,
): ManageRequest {
  // The router takes `/members//sign-in-link` for a path with an empty id; it is another path.
  if (Object.values(params).includes("")) throw notFound();
  return {
    authorization: head.authorization,
    sessionCookies: readSessionCookies(request.headersDistinct["cookie"] ?? [], isSecure),
    csrfToken: soleHeader(request, "x-csrf-token"),
    origin: soleHeader(request, "origin"),
    fetchSite: soleHeader(request, "sec-fetch-site"),
    ownOrigin: `http://${head.hosts[0] ?? ""}`,
    address: request.socket.remoteAddress ?? "",
    params,
    readQuery: () => readKnownQuery(operation, request.url ?? ""),
  };
}

/** Null when a header is absent; what can't be a value of it when it came twice. */
function soleHeader(request: IncomingMessage, name: string): string | null {
  return request.headersDistinct[name]?.join(", ") ?? null;
}

/** Refuses a parameter that the operation does not read, or that came twice. */
function readKnownQuery(operation: ManageOperation, target: string): ReadonlyMap<string, string> {
  const known = Object.keys(MANAGE_QUERIES[operation] ?? {});
  const query = new Map<string, string>();
  for (const [name, [value = "", ...others]] of readQuery(target)) {
    const shown = name.slice(0, 64);
    if (!known.includes(name)) {
      const allowed = known.length === 0 ? "none" : known.join(", ");
      throw invalidInput(shown, `There is no query parameter ${JSON.stringify(shown)}; allowed: ${allowed}.`);
    }
    if (others.length > 0) throw invalidInput(shown, `The query parameter ${shown} came more than once.`);
    query.set(name, value);
  }
  return query;
}
