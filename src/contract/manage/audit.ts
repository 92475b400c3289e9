// The audit log: its entries, and the verdict of a verification.
import Type from "typebox";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { olderPage, seconds } from "./resource-fields.ts";
import { ACTOR_KINDS } from "./roles.ts";

const AuditEntry = Type.Object({
  id: Type.Integer({ description: "a sequence number over the whole log" }),
  organization: orNull(Type.String()),
  at: seconds,
  actor: Type.Object({ kind: oneOf(ACTOR_KINDS), id: Type.String() }),
  action: Type.String({ description: "the action, such as `key.create`" }),
  target: orNull(Type.String()),
  before: orNull(Type.Record(Type.String(), Type.Unknown())),
  after: orNull(Type.Record(Type.String(), Type.Unknown())),
  redacted: Type.Optional(
    Type.Boolean({ description: "present only if true: the values were erased with their organization" }),
  ),
  hash: Type.String({ description: "SHA-256 of the previous entry's hash and this entry" }),
});

export const AuditPage = olderPage(AuditEntry);

export const AuditVerdict = Type.Object({
  checked: Type.Integer({ description: "number of intact entries" }),
  head: Type.String({ description: "hash of the last intact entry" }),
  broken_at: orNull(Type.Integer({ description: "the first entry that was changed or removed" })),
  has_head: orNull(
    Type.Boolean({ description: "whether the given `head` is the hash of an entry; null: none was given" }),
  ),
});
