// Calls the management interface of a running service.
import { createOutgoingFetch } from "../../boot/outgoing-fetch.ts";
import { readConfig } from "../../config/config.ts";
import { trust } from "../../config/extra-certificates.ts";
import { OperatorError, reasonOf } from "../../../packages/kit/operator-error.ts";
import { notFound } from "../../contract/errors.ts";
import type { Operation } from "../../manage/definition/operation.ts";
import type { OutgoingFetch } from "../../ports/outgoing-fetch.ts";

/** The management interface of a service, and a token for it. */
export interface RunningService {
  readonly url: string;
  readonly token: string;
  readonly fetch: OutgoingFetch;
}

/** A running service as the options of a command name it. */
export type NamedService = Omit<RunningService, "fetch">;

/**
 * The address and token of a running service; null: the command runs on the store here. Throws an OperatorError for one
 * without the other.
 */
export function serviceOf({
  url,
  token,
}: {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}): NamedService | null {
  if (url === undefined && token === undefined) return null;
  if (url === undefined) throw new OperatorError("--token needs --url: the address of a running service.");
  if (token === undefined) throw new OperatorError("--url needs --token: a token of the management interface.");
  return { url, token };
}

/** A service that is reached as providers are: through the proxies, trusting the certificates of the configuration. */
export async function openService(service: NamedService): Promise<RunningService> {
  const { proxies, extraCertificates } = await readConfig();
  trust(extraCertificates);
  return { ...service, fetch: createOutgoingFetch(proxies) };
}

/** Calls an operation. Throws an OperatorError with the service's own message, or 404 `resource_not_found`. */
export async function callService<Input extends object, Result extends object>(
  service: RunningService,
  { method, path, fields }: Pick<Operation<Input, Result>, "method" | "path" | "fields">,
  input: object,
): Promise<Result> {
  const values = new Map<string, unknown>(Object.entries(input));
  const place = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const sent = Object.keys(fields).flatMap((name) =>
    values.get(name) === undefined ? [] : [[name, values.get(name)]],
  );
  const query = method === "GET" ? `?${new URLSearchParams(Object.fromEntries(sent)).toString()}` : "";
  const hasBody = method !== "GET" && Object.keys(fields).length > 0;
  const headers = { authorization: `Bearer ${service.token}` };
  const url = `${service.url.replace(/\/$/, "")}/manage/api${place}${query}`;
  const body = hasBody ? { body: JSON.stringify(Object.fromEntries(sent)) } : {};
  const reply = await service.fetch(url, { method, headers, ...body, redirect: "manual" }).catch((error: unknown) => {
    const reason = reasonOf(error instanceof Error ? (error.cause ?? error) : error);
    throw new OperatorError(`${service.url} can't be reached (${reason}).`, { cause: error });
  });
  const read: unknown = await reply.json().catch(() => null);
  // The service is one of this interface: its replies have the shape of the operation.
  if (reply.ok && read !== null) return read as Result;
  if (reply.status === 404) throw notFound();
  throw new OperatorError(
    messageOf(read) ?? `${service.url} replied with status ${reply.status}: is it the management interface?`,
  );
}

/** The id of the organization with this id or name, among those that the token may see; without one that of the token. */
export async function findRemoteOrganization(service: RunningService, idOrName: string | undefined): Promise<string> {
  interface Known {
    readonly id: string;
    readonly name: string;
  }
  const get = <Reply extends object>(path: string) =>
    callService<object, Reply>(service, { method: "GET", path, fields: {} }, {});
  const { organization } = await get<{ organization: Known | null }>("/session");
  if (idOrName === undefined) {
    if (organization === null) throw new OperatorError("--org is needed: the token belongs to no organization.");
    return organization.id;
  }
  const seen = organization === null ? (await get<{ data: readonly Known[] }>("/organizations")).data : [organization];
  const found = seen.find(({ id }) => id === idOrName) ?? seen.find(({ name }) => name === idOrName);
  // The list has no deleted ones. A name cannot begin as ids do.
  if (found === undefined && organization === null && idOrName.startsWith("org_")) return idOrName;
  if (found === undefined) throw new OperatorError(`there is no organization "${idOrName}" that the token may see.`);
  return found.id;
}

/** The message of an error's envelope. */
function messageOf(read: unknown): string | null {
  const error = memberOf(read, "error");
  const message = memberOf(error, "message");
  return typeof message === "string" ? message : null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? new Map<string, unknown>(Object.entries(value)).get(name) : null;
}
