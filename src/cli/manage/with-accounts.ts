// The accounts that `plan` and `apply` compare with a file: of the store here, or of a running service.
import { buildDiscoveredCatalog } from "../../boot/discovery.ts";
import { notFound } from "../../contract/errors.ts";
import type { RetentionBounds } from "../../core/history/retention.ts";
import { indexModels, type ModelNames } from "../../core/models/model-names.ts";
import type { CallIn } from "../../manage/accounts-file.ts";
import { CONFIGURATION } from "../../manage/configuration.ts";
import { listModels } from "../../manage/models.ts";
import { retentionBounds } from "../../manage/retention.ts";
import type { ServiceOptions } from "../commands/options.ts";
import { withStore } from "../commands/with-store.ts";
import { callLocally } from "./call-locally.ts";
import { callService, type NamedService, openService, serviceOf } from "./call-service.ts";

export interface Accounts {
  readonly callIn: CallIn;
  /** Reads the catalog that the rules of the file are about. */
  readonly catalog: () => Promise<ModelNames>;
  /** Reads the days that histories may be kept. */
  readonly retention: () => Promise<RetentionBounds>;
}

/**
 * Runs work on the accounts of a running service, or (without `url`) of the store here, which is created if
 * `createsStore` says so.
 */
export function withAccounts<T>(
  options: ServiceOptions,
  store: { readonly createsStore: boolean },
  work: (accounts: Accounts) => Promise<T>,
): Promise<T> {
  const service = serviceOf(options);
  if (service !== null) return withService(service, work);
  return withStore(async (services) => {
    const find = async (id: string) => (await services.store.findOrganization({ idOrName: id })) ?? notThere();
    return work({
      callIn: (id) => async (operation, input) =>
        callLocally(services, id === null ? null : await find(id))(operation, input),
      catalog: async () => (await buildDiscoveredCatalog(services.config)).catalog,
      retention: async () => retentionBounds(services.config.limits),
    });
  }, store);
}

function notThere(): never {
  throw notFound();
}

async function withService<T>(named: NamedService, work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const service = await openService(named);
  const callIn: CallIn = (id) => (operation, input) =>
    callService(service, operation, id === null ? input : { ...input, organization_id: id });
  return work({
    callIn,
    catalog: async () => indexModels((await callIn(null)(listModels, {})).data),
    retention: async () => {
      const { limits } = await callIn(null)(CONFIGURATION.operations.showConfiguration, {});
      const { retention_days: days, idempotency_retention_hours: hours } = limits;
      return retentionBounds({
        retention_days: typeof days === "number" ? days : null,
        idempotency_retention_hours: typeof hours === "number" ? hours : 0,
      });
    },
  });
}
