// Calls operations of the management interface in this process, on the store here.
import { buildDiscoveredCatalog } from "../../boot/discovery.ts";
import { nameNode } from "../../boot/version.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { eraseOrganization } from "../../flows/upkeep/erase-organization.ts";
import type { Context } from "../../manage/definition/context.ts";
import type { CallOperation, Operation } from "../../manage/definition/operation.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { CommandServices } from "../commands/with-store.ts";

/** Calls operations with the rights of an operator, those on an organization on this one. */
export function callLocally(services: CommandServices, organization: Organization | null): CallOperation {
  const { store, by, clock, config } = services;
  const context: Context = {
    ...services,
    session: null,
    organization,
    nowMs: clock.nowMs(),
    limits: config.limits,
    self: nameNode(),
    capacity: null,
    mayBlockWrites: true,
    catalog: async () => (await buildDiscoveredCatalog(config)).catalog,
    // A running service erases the rest, also when this command is interrupted.
    afterDeletion: async (deleted) => {
      await eraseOrganization(store, { organizationId: deleted.id, by, isStopped: () => false });
      return (await store.findOrganization({ idOrName: deleted.id })) ?? deleted;
    },
  };
  const organization_id = organization?.id;
  return async (called, input) => {
    assertOrganization(called, organization_id);
    return called.run(context, "organization_id" in called.fields ? { ...input, organization_id } : input);
  };
}

/** Throws an OperatorError for an operation on an organization where none is named. */
export function assertOrganization({ scope }: Operation<never>, id: string | undefined): void {
  if (scope === "organization" && id === undefined) throw new OperatorError("--org is needed for this.");
}
