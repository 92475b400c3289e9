// The two addresses of the service: that of /v1 and that of the management interface.
import type { PublicServer } from "../server/v1/server.ts";
import type { ManageServer } from "../server/manage/server.ts";
import type { ListenAddress, ListenPlace } from "../server/shared/acceptors.ts";
import type { Config } from "../config/config.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";

/** Something that takes an address, and can give it back. */
interface Taken {
  readonly port: number;
  close(): unknown;
}

/** What the two addresses are taken by. */
export interface Both<T> {
  readonly v1: T;
  readonly manage: T;
}

/** The ports that a service listens on. */
export interface Ports {
  readonly port: number;
  readonly managePort: number;
}

/** Listens on both ports or on none; requests wait for `until`. Throws an OperatorError that names each port that is unavailable. */
export async function listenOnBoth(
  places: Both<ListenPlace>,
  servers: { readonly v1: PublicServer; readonly manage: ManageServer },
  until: Promise<unknown>,
): Promise<Ports> {
  const listen = async (server: PublicServer | ManageServer, place: ListenPlace) => ({
    ...(await server.listen({ ...place, until })),
    close: () => server.close(),
  });
  const { v1, manage } = await takeBoth(places, {
    v1: () => listen(servers.v1, places.v1),
    manage: () => listen(servers.manage, places.manage),
  });
  return { port: v1.port, managePort: manage.port };
}

/** The configured addresses. */
export function addressesOf({ host, port, manageHost, managePort }: Config): Both<ListenAddress> {
  return { v1: { host, port }, manage: { host: manageHost, port: managePort } };
}

/** Takes both addresses or none. Throws an OperatorError that names each port that is unavailable. */
export async function takeBoth<T extends Taken>(
  places: Both<ListenPlace>,
  take: Both<() => Promise<T>>,
): Promise<Both<T>> {
  const tried = await Promise.allSettled([
    take.v1().catch((error: unknown) => explainListen(error, places.v1, "HOST and PORT")),
    take.manage().catch((error: unknown) => explainListen(error, places.manage, "MANAGE_HOST and MANAGE_PORT")),
  ]);
  const [v1, manage] = tried;
  if (v1.status === "fulfilled" && manage.status === "fulfilled") return { v1: v1.value, manage: manage.value };
  for (const one of tried) if (one.status === "fulfilled") await one.value.close();
  const errors: readonly unknown[] = tried.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const bug = errors.find((error) => !(error instanceof OperatorError));
  if (bug !== undefined) throw bug;
  throw new OperatorError(errors.map((error) => (error as OperatorError).message).join(" "), { cause: errors[0] });
}

/** Throws an error that explains to the operator why an address could not be taken, or the error itself. */
function explainListen(error: unknown, place: ListenPlace, variables: string): never {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const reason = {
    EADDRINUSE: "it is in use",
    EACCES: "permission denied",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "the name has no address",
    EAI_AGAIN: "the name's address could not be found",
  };
  if ("descriptors" in place || typeof code !== "string" || !(code in reason)) throw error;
  const words = reason[code as keyof typeof reason];
  throw new OperatorError(`can't listen on port ${place.port} of ${place.host}: ${words}. Set ${variables}.`, {
    cause: error,
  });
}
