// Sessions by single sign-on: the member that a provider's identity belongs to, with the role that the provider's
// claims give. @spec authentication
import type { MemberRole } from "../../contract/manage/roles.ts";
import type { Member } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type {
  IdentityOutcome,
  IdentityStart,
  ManagementStore,
  NewSession,
  ProviderIdentity,
} from "../../ports/store/management.ts";
import { record } from "./audit.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { changeRole, insertNewMember, isLastOwner, MEMBER_COLUMNS, selectMemberByEmail } from "./members.ts";
import { getOrganization, lockOrganization } from "./organizations.ts";
import { beginSession, endSession } from "./sessions.ts";
import { many, one, write } from "../engine/statement.ts";

/** ManagementStore.startSessionByIdentity. */
export const startSessionByIdentity = plainProcedure(
  "write",
  function* (tx, start: IdentityStart, atMs): Steps<IdentityOutcome> {
    const { organizationId } = start;
    yield* lockOrganization(tx, { organizationId });
    yield* getOrganization(tx, organizationId);
    const found = yield* findOrAdd(tx, start, atMs);
    if (typeof found === "string") return { kind: found };
    const member = yield* followRole(tx, found, start, atMs);
    return { kind: "started", session: yield* beginSession(tx, { kind: "member", member }, start.session, atMs) };
  },
);

/** ManagementStore.startOperatorSession. */
export const startOperatorSession = plainProcedure(
  "write",
  (tx, { name, identity, session }: { name: string; identity: ProviderIdentity; session: NewSession }, atMs) =>
    beginSession(tx, { kind: "operator", name }, { ...session, ...identity }, atMs),
);

/** ManagementStore.followProvider. */
export const followProvider = plainProcedure(
  "write",
  function* (tx, { by, identity, places }: Parameters<ManagementStore["followProvider"]>[0], atMs): Steps<void> {
    const lost = places.some(({ role }) => role === "operator")
      ? []
      : [...(yield* selectSessionsOfOperator(tx, { ...identity }))];
    for (const { organizationId } of yield* selectOrganizations(tx, { ...identity })) {
      yield* lockOrganization(tx, { organizationId });
      const member = yield* selectByIdentity(tx, { organizationId, ...identity });
      if (member === undefined) continue;
      const place = places.find((each) => each.role !== "operator" && each.organizationId === organizationId);
      if (place === undefined) lost.push(...(yield* selectSessionsOfMember(tx, { memberId: member.id })));
      else if (place.role !== "operator") yield* followRole(tx, member, { by, role: place.role }, atMs);
    }
    for (const { id } of lost) yield* endSession(tx, { by, id, atMs });
  },
);

/** ExportStore.listIdentities. */
export const listIdentities = plainProcedure("read", (tx, query: { organizationId: string }) =>
  selectIdentities(tx, query),
);

function* findOrAdd(
  tx: Transaction,
  start: IdentityStart,
  atMs: number,
): Steps<Member | Exclude<IdentityOutcome["kind"], "started">> {
  const { by, organizationId, identity, email, role, newMemberId: id, createdAt } = start;
  const known = yield* selectByIdentity(tx, { organizationId, ...identity });
  if (known !== undefined) return known;
  const named = yield* selectMemberByEmail(tx, { organizationId, email });
  if (named === undefined && !start.mayAdd) return "not_a_member";
  // The member with this address signs in as another person at the provider.
  if (named !== undefined && (yield* selectIdentity(tx, { memberId: named.id })) !== undefined) return "taken";
  const member = named ?? { id, organizationId, email, role };
  if (named === undefined) yield* insertNewMember(tx, { by, ...member, createdAt, atMs });
  yield* insertIdentity(tx, { memberId: member.id, ...identity });
  yield* record(tx, { by, atMs, organizationId, action: "member.identity", target: member.id, after: { ...identity } });
  return member;
}

/** Gives a member the role; the last owner keeps theirs. */
function* followRole(
  tx: Transaction,
  member: Member,
  { by, role }: { by: Actor; role: MemberRole },
  atMs: number,
): Steps<Member> {
  if (member.role === role || (member.role === "owner" && (yield* isLastOwner(tx, member)))) return member;
  return yield* changeRole(tx, member, { by, role, atMs });
}

const selectByIdentity = one<ProviderIdentity & { organizationId: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from member_identities i
    join members m on m.id = i.member_id
   where i.issuer = :issuer
     and i.subject = :subject
     and m.organization_id = :organizationId`);

const selectIdentity = one<{ memberId: string }, ProviderIdentity>(`
  select issuer, subject
    from member_identities
   where member_id = :memberId`);

const selectIdentities = many<{ organizationId: string }, ProviderIdentity & { memberId: string }>(`
  select i.member_id as memberId, i.issuer, i.subject
    from members m
    join member_identities i on i.member_id = m.id
   where m.organization_id = :organizationId
   order by m.created_at, m.rowid`);

const selectOrganizations = many<ProviderIdentity, { organizationId: string }>(`
  select m.organization_id as organizationId
    from member_identities i
    join members m on m.id = i.member_id
   where i.issuer = :issuer
     and i.subject = :subject
   order by m.organization_id`);

const selectSessionsOfMember = many<{ memberId: string }, { id: string }>(`
  select id from sessions where member_id = :memberId`);

const selectSessionsOfOperator = many<ProviderIdentity, { id: string }>(`
  select id
    from sessions
   where issuer = :issuer
     and subject = :subject`);

const insertIdentity = write<ProviderIdentity & { memberId: string }>(`
  insert into member_identities (member_id, issuer, subject)
  values (:memberId, :issuer, :subject)`);
