// The two addresses that the service listens on.
import type { HttpServer } from "../server/v1/server.ts";
import type { ManageServer } from "../server/manage/server.ts";
import type { Config } from "../config/config.ts";
import { OperatorError } from "../config/operator-error.ts";

/** Listens on both ports or on none; requests wait for `until`. Throws an OperatorError that names each port that is unavailable. */
export async function listenOnBoth(
  config: Config,
  server: HttpServer,
  manageServer: ManageServer,
  until: Promise<unknown>,
): Promise<{ port: number; managePort: number }> {
  const { host, port, manageHost, managePort } = config;
  const listen = async (one: HttpServer | ManageServer, address: Address & { variables: string }) => {
    const listening = one.listen({ host: address.host, port: address.port, until }).catch((error: unknown) => {
      throw explainListen(error, address);
    });
    return { ...(await listening), close: () => one.close() };
  };
  const tried = await Promise.allSettled([
    listen(server, { host, port, variables: "HOST and PORT" }),
    listen(manageServer, { host: manageHost, port: managePort, variables: "MANAGE_HOST and MANAGE_PORT" }),
  ]);
  const [served, managed] = tried;
  if (served.status === "fulfilled" && managed.status === "fulfilled") {
    return { port: served.value.port, managePort: managed.value.port };
  }
  for (const one of tried) if (one.status === "fulfilled") await one.value.close();
  const errors: readonly unknown[] = tried.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const bug = errors.find((error) => !(error instanceof OperatorError));
  if (bug !== undefined) throw bug;
  throw new OperatorError(errors.map((error) => (error as OperatorError).message).join(" "), { cause: errors[0] });
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Explains to the operator why the service can't listen on an address. */
function explainListen(error: unknown, address: Address & { variables: string }): unknown {
  const { host, port, variables } = address;
  const code = error instanceof Error && "code" in error ? error.code : null;
  const reason = {
    EADDRINUSE: "it is in use",
    EACCES: "permission denied",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "the name has no address",
    EAI_AGAIN: "the name's address could not be found",
  };
  if (typeof code !== "string" || !(code in reason)) return error;
  const words = reason[code as keyof typeof reason];
  return new OperatorError(`can't listen on port ${port} of ${host}: ${words}. Set ${variables}.`, { cause: error });
}
