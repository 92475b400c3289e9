// The organization that the first start of a service creates.
import type { AccountStore } from "../../ports/store/accounts.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { lock, one } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import { insertNewKey } from "./keys.ts";
import { insertNewMember } from "./members.ts";
import { insertNewOrganization } from "./organizations.ts";

type FirstCreation = Parameters<AccountStore["createFirstOrganization"]>[0];

/** AccountStore.createFirstOrganization. */
export const createFirstOrganization = plainProcedure(
  "write",
  function* (tx, { by, organization, owner, key, secret }: FirstCreation, atMs): Steps<boolean> {
    yield* lockDatabase(tx, {});
    if ((yield* selectAnyOrganization(tx, {})) !== undefined) return false;
    yield* insertNewOrganization(tx, { by, ...organization }, atMs);
    yield* insertNewMember(tx, { by, ...owner, atMs });
    yield* insertNewKey(tx, { by, key, secret }, atMs);
    return true;
  },
);

/** Several nodes may start on a new database at the same time. The row is there in every database. */
const lockDatabase = lock<Record<never, never>>("select version from schema_version where version = 1");

const selectAnyOrganization = one<Record<never, never>, { id: string }>("select id from organizations limit 1");
