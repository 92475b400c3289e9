// The audit log: every change, by whom, of what and when; and its verification. docs/management.md (The audit log)
import Type, { type Static, type TObject } from "typebox";
import { timeOf } from "../base/time.ts";
import { AUDIT_ACTIONS } from "../contract/manage/audit-actions.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX, AUDIT_READ_MAX, EMAIL_CHARACTERS_MAX } from "../contract/manage/limits.ts";
import { olderPage, seconds } from "../contract/manage/resource-fields.ts";
import { ACTOR_KINDS, MANAGERS, OPERATOR } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { verifyAudit as verify } from "../flows/accounts/verify-audit.ts";
import { secondsOf } from "../ports/clock.ts";
import type * as stored from "../ports/store/audit.ts";
import type { Context } from "./definition/context.ts";
import { ORG_OPTION, olderPages, text, whole } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";
import { FILTER_OPTIONS, SECONDS_MAX } from "./turn-filter.ts";

/** The head of the audit log: the SHA-256 of an entry, hexadecimal. */
const AUDIT_HEAD_PATTERN = "^[0-9a-f]{64}$";

const AuditPage = olderPage(
  Type.Object({
    id: Type.Integer({ description: "a sequence number over the whole log" }),
    organization: orNull(Type.String()),
    at: seconds,
    actor: Type.Object({ kind: oneOf(ACTOR_KINDS), id: Type.String() }),
    actor_name: orNull(
      Type.String({ description: "the address of that member or the name of that token, as it is now" }),
    ),
    action: Type.String({ description: "the action, such as `key.create`" }),
    target: orNull(Type.String()),
    before: orNull(Type.Record(Type.String(), Type.Unknown())),
    after: orNull(Type.Record(Type.String(), Type.Unknown())),
    redacted: Type.Optional(
      Type.Boolean({ description: "present only if true: the values were erased with their organization" }),
    ),
    hash: Type.String({ description: "SHA-256 of the previous entry's hash and this entry" }),
  }),
);

const PAGES =
  "Newest first. With a filter, a page may have fewer entries than `limit`, or none, while `has_more` is true: continue with its `older`.";

const filters = {
  action: Type.Optional(oneOf(AUDIT_ACTIONS)),
  actor: Type.Optional(
    text(
      "the id of the actor as an entry shows it, or the e-mail address of a present member in any letter case; of people who have left, the id",
      EMAIL_CHARACTERS_MAX,
    ),
  ),
  target: Type.Optional(
    text("the target as an entry shows it; the id of a key or member also finds changes of its budgets"),
  ),
  from: Type.Optional(whole(0, "entries of this Unix second or later", SECONDS_MAX)),
  to: Type.Optional(whole(0, "entries before this Unix second", SECONDS_MAX)),
  ...olderPages(AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT),
};

const listAudit = operation({
  route: "GET /organizations/:organization_id/audit",
  isLong: true,
  roles: MANAGERS,
  summary: "List the audit log of the organization",
  description: PAGES,
  input: filters,
  output: { AuditPage },
  run: (context, query) => list(context, context.organization.id, query),
});

const listAllAudit = operation({
  route: "GET /audit",
  isLong: true,
  roles: OPERATOR,
  summary: "List the audit log of all organizations",
  description: PAGES,
  command: {
    words: "audit list",
    help: "list entries, newest first",
    options: {
      action: { help: "only this action" },
      from: { ...FILTER_OPTIONS.from, help: "entries of that time or later" },
      to: { ...FILTER_OPTIONS.to, help: "entries before" },
    },
    variants: { organization_id: { operation: listAudit, ...ORG_OPTION } },
    // What fits on a line: values as JSON, no hash.
    show: ({ data }) =>
      data.map(({ id, organization, at, actor, actor_name: name, action, target, before, after }) => ({
        id,
        at: timeOf(at),
        actor: `${actor.kind} ${name ?? actor.id}`,
        organization,
        action,
        target,
        before: JSON.stringify(before),
        after: JSON.stringify(after),
      })),
    whenEmpty: "There is no such entry.",
  },
  input: filters,
  output: { AuditPage },
  run: (context, query) => list(context, null, query),
});

async function list(
  { store }: Context,
  organizationId: string | null,
  { action, actor, target, from, to, limit, before }: Static<TObject<typeof filters>>,
) {
  const times = { fromMs: from === undefined ? null : from * 1000, toMs: to === undefined ? null : to * 1000 };
  const filter = { organizationId, action: action ?? null, actor: actor ?? null, target: target ?? null, ...times };
  const search = { filter, limit, before: before ?? null, readsMax: AUDIT_READ_MAX };
  const { entries, next } = await store.searchAudit(search);
  return { data: entries.map(presentAuditEntry), has_more: next !== null, older: next };
}

/** An entry of the audit log; `redacted` is present only when true. */
export function presentAuditEntry({ organizationId, atMs, by, ...entry }: stored.AuditEntry) {
  const { id, actorName, action, target, before, after, isRedacted, hash } = entry;
  const at = secondsOf(atMs);
  const who = { actor: { ...by }, actor_name: actorName };
  const shown = { id, organization: organizationId, at, ...who, action, target, before, after };
  return { ...shown, ...(isRedacted ? { redacted: true } : {}), hash };
}

const verifyAudit = operation({
  route: "GET /audit/verification",
  roles: OPERATOR,
  summary: "Check that no entry of the audit log was changed or removed",
  description:
    "Keep the `head` elsewhere: a later check with it detects a log that was truncated or rewritten in between.",
  command: {
    words: "audit verify",
    help: "check that no entry was changed or removed; exits non-zero if one was",
    options: { head: { flags: "--head <hash>", help: "a head printed earlier, which the log must still contain" } },
    failure({ broken_at: brokenAt, has_head: hasHead }) {
      if (brokenAt !== null) return `the audit log is broken: entry ${brokenAt} was changed after it was written.`;
      return hasHead === false ? "the audit log does not contain the given head: it was truncated or rewritten." : null;
    },
  },
  input: {
    head: Type.Optional(
      Type.String({
        pattern: AUDIT_HEAD_PATTERN,
        description: "the `head` of an earlier check, to be looked up in the log",
      }),
    ),
  },
  output: {
    AuditVerdict: Type.Object({
      checked: Type.Integer({ description: "number of intact entries" }),
      head: Type.String({ description: "hash of the last intact entry" }),
      broken_at: orNull(Type.Integer({ description: "the first entry that was changed or removed" })),
      has_head: orNull(
        Type.Boolean({ description: "whether the given `head` is the hash of an entry; null: none was given" }),
      ),
    }),
  },
  async run({ store }, { head: expected = null }) {
    const { checked, head, brokenAt, hasExpected } = await verify(store, expected);
    return { checked, head, broken_at: brokenAt, has_head: hasExpected };
  },
});

export const AUDIT = {
  tag: "Audit log",
  about: "the log of every change: by whom, of what, when",
  operations: { listAllAudit, listAudit, verifyAudit },
} as const satisfies Subject;
