// Runs an operation for a command: in this process on the store, or over HTTP on a running service.
import { buildCatalog } from "../../config/catalog.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Ask, Context, NamedOperation, Operation } from "../../manage/operation.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import { OPERATOR } from "../commands/queries.ts";
import { type CommandServices, readActor, withOrganization, withStore } from "../commands/with-store.ts";
import { callService, findRemoteOrganization, openService } from "./call-service.ts";

/** Where a command works: on the store here, or on the service with this URL. */
export interface Where {
  readonly org: string | undefined;
  readonly url: string | undefined;
  readonly token: string | undefined;
}

/** Resolves to what the interface replies. Throws an OperatorError that names what the path's parameters did not find. */
export async function runOperation(operation: NamedOperation, given: object, where: Where): Promise<object> {
  try {
    if (where.url !== undefined) return await runRemotely(operation, given, where.url, where);
    if (where.token !== undefined) throw new OperatorError("--token needs --url: the address of a running service.");
    return await runHere(operation, given, where.org);
  } catch (error) {
    const [sought] = Object.keys(operation.command?.options ?? {}).filter((name) =>
      operation.path.includes(`:${name}`),
    );
    if (!(error instanceof ApiError) || error.code !== "resource_not_found" || sought === undefined) throw error;
    const id = new Map<string, unknown>(Object.entries(given)).get(sought);
    const what = operation.command?.options[sought]?.flags?.replaceAll(/[<>]/g, "") ?? sought;
    throw new OperatorError(`there is no ${what} ${String(id)}.`, { cause: error });
  }
}

function runHere(operation: Operation, given: object, org: string | undefined): Promise<object> {
  if (operation.needsService)
    throw new OperatorError("only a running service knows this: give its --url and a --token.");
  const run = (services: CommandServices, organization: Organization | null) => {
    const context: Context = {
      ...services,
      principal: OPERATOR,
      organization,
      nowMs: services.clock.nowMs(),
      catalog: () => buildCatalog(services.config),
    };
    return complete(operation, given, (asked, input) => asked.run(context, input));
  };
  if (org !== undefined) return withOrganization(org, run);
  return withStore((services) => run(services, null), { createsStore: operation.command?.createsStore ?? false });
}

async function runRemotely(
  operation: Operation,
  given: object,
  url: string,
  { org, token }: Pick<Where, "org" | "token">,
): Promise<object> {
  if (token === undefined) throw new OperatorError("--url needs --token: a token of the management interface.");
  const service = await openService(url, token);
  const organization_id = org === undefined ? undefined : await findRemoteOrganization(service, org);
  return complete(operation, given, (asked, input) => callService(service, asked, { ...input, organization_id }));
}

/** Finds what the command may leave out, then asks. */
async function complete(operation: Operation, given: object, ask: Ask): Promise<object> {
  return ask(operation, { ...given, ...(await operation.command?.complete?.(given, ask, readActor().id)) });
}
