// All data of an organization as lines of JSON, for a request to hand it over: content and people, never a secret or
// its hash.
import { parseJson } from "../base/json.ts";
import { secondsOf } from "../ports/clock.ts";
import type { Organization } from "../ports/store/accounts.ts";
import type { ExportedHistory, ExportedItem, ExportedResponse } from "../ports/store/exports.ts";
import type { Store } from "../ports/store/store.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { presentBudget } from "./budgets.ts";
import { presentTransfer } from "./ledger.ts";
import { SESSION_LIFETIME } from "../flows/accounts/session-lifetime.ts";
import { presentAuditEntry } from "./audit.ts";
import { presentEvent } from "./events.ts";
import { presentListedKey } from "./keys.ts";
import { presentSession } from "./listed-session.ts";
import { presentMember } from "./members.ts";
import { presentOrganization } from "./organizations.ts";
import { presentToken } from "./tokens.ts";

/** The types of lines, in their order. */
export const EXPORT_TYPES = [
  "organization",
  "member",
  "key",
  "token",
  "budget",
  "history",
  "item",
  "response",
  "transfer",
  "audit",
  "event",
] as const;
/** The type of a line. */
export type ExportType = (typeof EXPORT_TYPES)[number];

/** A line: its text is a JSON object, which begins with its type, as `line`. */
export interface ExportLine {
  readonly type: ExportType;
  readonly text: string;
}

/** Rows and bytes of a page, which bound memory. */
const PAGE_ROWS = 200;
const PAGE_BYTES = 4 * 1024 * 1024;
/** Transfers of all organizations that one page of the ledger reads. */
const TRANSFERS_READ_AT_ONCE = 20_000;

/**
 * Yields the data of an organization, page by page, each as it is when it is read. Content that is deleted, and waits
 * for its erasure, is not among them; the responses that had it are, without it.
 */
export async function* exportOrganization(store: Store, organization: Organization): AsyncGenerator<ExportLine> {
  const of = { organizationId: organization.id };
  yield line("organization", { ...presentOrganization(organization), created: organization.createdAt });
  yield* exportPeople(store, of.organizationId);
  for (const key of await store.listKeys(of)) yield line("key", presentListedKey(key));
  for (const token of await store.listTokens(of)) yield line("token", presentToken(token));
  for (const budget of await store.listBudgets(of)) yield line("budget", presentBudget(budget));
  yield* exportHistories(store, of.organizationId, null);
  yield* exportResponses(store, of.organizationId);
  yield* exportTransfers(store, of.organizationId);
  yield* exportAudit(store, of.organizationId);
  yield* exportEvents(store, of.organizationId);
}

async function* exportPeople(store: Store, organizationId: string): AsyncGenerator<ExportLine> {
  const identities = new Map((await store.listIdentities({ organizationId })).map((each) => [each.memberId, each]));
  for (const member of await store.listMembers({ organizationId })) {
    const identity = identities.get(member.id);
    const sessions = await store.listSessions({ memberId: member.id, lifetime: SESSION_LIFETIME });
    yield line("member", {
      ...presentMember(member),
      identity: identity === undefined ? null : { issuer: identity.issuer, subject: identity.subject },
      sessions: sessions.map((session) => presentSession(session, null)),
    });
  }
}

/** The histories, each with its items and then its branches; of a root, its branches alone. */
async function* exportHistories(
  store: Store,
  organizationId: string,
  rootId: number | null,
): AsyncGenerator<ExportLine> {
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.exportHistories({ organizationId, rootId, after, limit: PAGE_ROWS });
    for (const history of page.histories) {
      yield historyLine(history);
      yield* exportItems(store, organizationId, history);
      if (history.hasBranches) yield* exportHistories(store, organizationId, history.id);
    }
    after = page.next;
  }
}

async function* exportItems(
  store: Store,
  organizationId: string,
  { id, lastPosition }: ExportedHistory,
): AsyncGenerator<ExportLine> {
  const page = { organizationId, historyId: id, limit: PAGE_ROWS, bytes: PAGE_BYTES };
  for (let after = 0; after < lastPosition; ) {
    const items: readonly ExportedItem[] = await store.exportItems({ ...page, after });
    for (const { position, responseId, body } of items) {
      yield line("item", { history: id, position, response: responseId }, { item: body });
    }
    // Without any: what is left is deleted.
    after = items.at(-1)?.position ?? lastPosition;
  }
}

async function* exportResponses(store: Store, organizationId: string): AsyncGenerator<ExportLine> {
  const page = { organizationId, limit: PAGE_ROWS, bytes: PAGE_BYTES };
  for (let after = { createdAt: 0, rowId: 0 }; ; ) {
    const { responses, next } = await store.exportResponses({ ...page, after });
    for (const response of responses) yield responseLine(response);
    if (next === null) return;
    after = next;
  }
}

async function* exportTransfers(store: Store, organizationId: string): AsyncGenerator<ExportLine> {
  const page = { organizationId, only: null, limit: PAGE_ROWS, readsMax: TRANSFERS_READ_AT_ONCE };
  for (let before: number | null = null; ; ) {
    const { transfers, next } = await store.listTransfers({ ...page, before });
    for (const transfer of transfers) yield line("transfer", presentTransfer(transfer));
    if (next === null) return;
    before = next;
  }
}

async function* exportAudit(store: Store, organizationId: string): AsyncGenerator<ExportLine> {
  for (let before: number | null = null; ; ) {
    const entries = await store.listAudit({ organizationId, before, limit: PAGE_ROWS });
    for (const entry of entries) yield line("audit", presentAuditEntry(entry));
    before = entries.at(-1)?.id ?? null;
    if (before === null) return;
  }
}

async function* exportEvents(store: Store, organizationId: string): AsyncGenerator<ExportLine> {
  for (let id = 0; ; ) {
    const events = await store.listEvents({ organizationId, from: { direction: "after", id }, limit: PAGE_ROWS });
    for (const event of events) yield line("event", presentEvent(event));
    const last = events.at(-1);
    if (last === undefined) return;
    id = last.id;
  }
}

function historyLine({ id, conversationId, keyId, createdAt, continues, metadata }: ExportedHistory): ExportLine {
  return line("history", { id, conversation: conversationId, key: keyId, created: createdAt }, { continues, metadata });
}

function responseLine(response: ExportedResponse): ExportLine {
  const { chargedNano, deletedAtMs, head, ending, providerState, unlisted, ...row } = response;
  const fields = {
    id: row.id,
    history: row.historyId,
    key: row.keyId,
    member: row.memberId,
    model: row.model,
    status: row.status,
    previous_response_id: row.previousResponseId,
    created: row.createdAt,
    completed: row.completedAt,
    deleted: deletedAtMs === null ? null : secondsOf(deletedAtMs),
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    total_tokens: row.totalTokens,
    credits: chargedNano === null ? null : creditsAsNumber(chargedNano),
    end_user: row.endUser,
    label: row.label,
  };
  const texts = { request: head, ending, provider_state: providerState };
  return line("response", fields, { ...texts, unlisted_output: `[${unlisted.map(embed).join(",")}]` });
}

/**
 * A line of fields, and of texts that are JSON already: those are taken over as they are, so that numbers keep their
 * digits.
 */
function line(type: ExportType, fields: object, texts: Readonly<Record<string, string | null>> = {}): ExportLine {
  const start = JSON.stringify({ line: type, ...fields }).slice(0, -1);
  const rest = Object.entries(texts).map(([name, text]) => `,${JSON.stringify(name)}:${embed(text)}`);
  return { type, text: `${start}${rest.join("")}}` };
}

/** A stored text that is not JSON any more becomes a string: the file stays readable. */
function embed(text: string | null): string {
  if (text === null) return "null";
  return parseJson(text) === undefined ? JSON.stringify(text) : text;
}
