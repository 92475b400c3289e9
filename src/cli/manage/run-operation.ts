// Runs an operation for a command: in this process on the store, or over HTTP on a running service.
import { printWarnings } from "../../boot/warnings.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { ApiError, notFound } from "../../contract/errors.ts";
import {
  type CallOperation,
  type Command,
  type NamedOperation,
  isRequired,
  nounOf,
  type Operation,
  parametersOf,
} from "../../manage/definition/operation.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { Store } from "../../ports/store/store.ts";
import { ORGANIZATION } from "../commands/options.ts";
import { findOrganization, readActor, withStore } from "../commands/with-store.ts";
import { callLocally, assertOrganization } from "./call-locally.ts";
import { readEveryPage, readUpToLimit } from "./read-list.ts";
import { callService, findRemoteOrganization, type NamedService, openService, serviceOf } from "./call-service.ts";

/** Where a command works: on the store here, or on the service with this URL. */
export interface CommandTarget {
  readonly org: string | undefined;
  readonly url: string | undefined;
  readonly token: string | undefined;
}

/** How a command runs an operation. */
export interface RunOptions extends CommandTarget {
  /** Every entry of a list, however many pages it has. */
  readonly isAll: boolean;
}

/**
 * Resolves to what the interface replies; `withoutStore` finds it here for a command that needs no store. Throws an
 * OperatorError that names what the path's parameters did not find.
 */
export async function runOperation(
  operation: NamedOperation,
  input: object,
  where: RunOptions,
  withoutStore?: () => Promise<object>,
): Promise<object> {
  const { variants = {} } = operation.command ?? {};
  const isSet = (name: string) => (name === "organization_id" ? where.org !== undefined : name in input);
  const variant = Object.entries(variants).find(([name]) => isSet(name))?.[1];
  const called = variant?.operation ?? operation;
  assertOptions(operation, called, isSet);
  assertChange(operation, input);
  const finish = async (call: CallOperation) => {
    printWarnings((await operation.command?.warn?.(input, call)) ?? []);
    const completed = await operation.command?.complete?.(input, call, readActor().id);
    const read = where.isAll ? readEveryPage : readUpToLimit;
    return read(called, { ...input, ...completed }, call);
  };
  try {
    const service = serviceOf(where);
    if (service !== null) return await runRemotely(called, service, where.org, finish);
    if (withoutStore !== undefined) return await withoutStore();
    if (called.needsService)
      throw new OperatorError("only a running service knows this: give its --url and a --token.");
    const { createsStore = operation.command?.createsStore ?? false } = variant ?? {};
    return await runHere(operation, { input, org: where.org, createsStore }, finish);
  } catch (error) {
    const sought = parametersOf(called).at(-1);
    if (!(error instanceof ApiError) || error.code !== "resource_not_found" || sought === undefined) throw error;
    if (sought === "organization_id")
      throw new OperatorError(`there is no organization "${where.org}".`, { cause: error });
    const id = new Map<string, unknown>(Object.entries(input)).get(sought);
    throw new OperatorError(`there is no ${nounOf(sought)} ${String(id)}.`, { cause: error });
  }
}

/** Does work that calls an operation several times. Throws an OperatorError for an organization that is not found. */
export async function withCalls<T>(
  operation: Operation,
  where: CommandTarget,
  work: (call: CallOperation) => Promise<T>,
): Promise<T> {
  const service = serviceOf(where);
  if (service !== null) return runRemotely(operation, service, where.org, work);
  return runHere(operation, { input: {}, org: where.org, createsStore: false }, work);
}

/** Throws an OperatorError for an option that the one of several operations needs, or does not take. */
function assertOptions({ command, ...operation }: NamedOperation, called: Operation, isSet: (name: string) => boolean) {
  const variants = Object.entries(command?.variants ?? {});
  if (variants.length === 0) return;
  const takes = (name: string) => name in called.fields || parametersOf(called).includes(name);
  const needs = (name: string) =>
    name === "organization_id" ? command?.ownerOf === undefined : needsField({ ...called, command }, name);
  const names = ["organization_id", ...Object.keys(operation.fields)];
  const missing = names.filter((name) => takes(name) && needs(name) && !isSet(name));
  const others = variants.map(([name]) => wordOf(command, name));
  if (missing.length > 0)
    throw new OperatorError(
      `give ${missing.map((name) => wordOf(command, name)).join(" and ")}, or ${others.join(" or ")}.`,
    );
  const wrong = names.find((name) => isSet(name) && !takes(name));
  if (wrong !== undefined)
    throw new OperatorError(`${wordOf(command, wrong)} does not go with ${others.join(" or ")}.`);
}

/** Throws an OperatorError for a change that changes none of its fields. */
function assertChange({ method, fields, body, command }: NamedOperation, input: object) {
  const names = Object.keys(fields);
  const isChange = method !== "GET" && names.length > 0 && body.isOptional !== true;
  if (!isChange || Object.values(fields).some(isRequired)) return;
  if (names.some((name) => name in input)) return;
  const words = [...names.map((name) => wordOf(command, name)), ...Object.keys(command?.presets ?? {})];
  throw new OperatorError(`nothing to set: give ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`);
}

/** The option of a field. */
function wordOf(command: Command | null, name: string): string {
  const { flags = name === "organization_id" ? ORGANIZATION[0] : `--${name.replaceAll("_", "-")}` } =
    command?.options[name] ?? {};
  return flags.split(" ")[0] ?? "";
}

/** Whether a command must have the option of a field. */
export function needsField({ fields, command }: Pick<Operation, "fields" | "command">, name: string): boolean {
  const shape = fields[name];
  return shape !== undefined && isRequired(shape) && command?.optional.includes(name) !== true;
}

interface Here {
  readonly input: object;
  readonly org: string | undefined;
  readonly createsStore: boolean;
}

function runHere<T>(
  operation: Operation,
  { input, org, createsStore }: Here,
  finish: (call: CallOperation) => Promise<T>,
): Promise<T> {
  return withStore(
    async (services) => finish(callLocally(services, await findHere(services.store, operation, input, org))),
    { createsStore },
  );
}

/** The organization that `--org` names, or else the one that the named record belongs to; null for an operation without one. */
async function findHere(
  store: Store,
  { command }: Operation,
  input: object,
  org: string | undefined,
): Promise<Organization | null> {
  if (org !== undefined) return findOrganization(store, org);
  if (command?.ownerOf === undefined) return null;
  const id = await command.ownerOf(store, input);
  if (id === null) throw notFound();
  return findOrganization(store, id);
}

async function runRemotely<T>(
  { scope }: Pick<Operation, "scope">,
  named: NamedService,
  org: string | undefined,
  finish: (call: CallOperation) => Promise<T>,
): Promise<T> {
  const service = await openService(named);
  const hasOrganization = org !== undefined || scope === "organization";
  const organization_id = hasOrganization ? await findRemoteOrganization(service, org) : undefined;
  return finish(async (called, input) => {
    assertOrganization(called, organization_id);
    return callService(service, called, { ...input, organization_id });
  });
}
