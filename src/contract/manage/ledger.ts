// The ledger's transfers, and the check of the books.
import Type from "typebox";
import { LEDGER_ACCOUNTS, TRANSFER_KINDS } from "../money.ts";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { olderPage, seconds } from "./resource-fields.ts";

export const Transfer = Type.Object({
  id: Type.Integer({ description: "a sequence number over the whole ledger" }),
  at: seconds,
  kind: oneOf(TRANSFER_KINDS),
  from: oneOf(LEDGER_ACCOUNTS),
  to: oneOf(LEDGER_ACCOUNTS),
  amount: Type.Number({ description: "credits" }),
  response: orNull(Type.String({ description: "null: a top-up" })),
  transaction_id: orNull(Type.String({ description: "of a top-up" })),
});

export const TransferPage = olderPage(Transfer);

/** What the check of the books compared, and where it differs. */
export const Reconciliation = Type.Object({
  organizations: Type.Integer(),
  transfers: Type.Integer(),
  responses: Type.Integer(),
  budget_periods: Type.Integer(),
  differences_found: Type.Integer({ description: "0: the books agree" }),
  differences: Type.Array(
    Type.Object({
      organization: Type.String(),
      compared: Type.String(),
      of: orNull(Type.String()),
      recorded: Type.String({ description: "nano-credits, or a count" }),
      expected: Type.String(),
    }),
  ),
});
