// Rows of usage: what they are called, and the turns that they count.
import type { UsageList, UsageRow } from "../../api/client.ts";
import { timeOf } from "../../parts/days.ts";
import { defined } from "../../parts/defined.ts";
import type { TurnsSearch } from "../turns/search.ts";
import type { Subject, Time } from "./search.ts";

/** In place of a member's id: keys without a member. */
const NO_MEMBER = "none";

const NAMES: Readonly<Record<Subject, (row: UsageRow) => string | null | undefined>> = {
  model: (row) => row.model,
  key: (row) => row.name ?? row.key,
  member: (row) => row.email ?? row.member ?? "without a member",
  organization: (row) => row.organization_name ?? row.organization,
};

/** What a row is about, in words. */
export const nameOf = (row: UsageRow, subject: Subject): string => NAMES[subject](row) ?? "";

/** What rows of the same group have in common. */
export const idOf = (row: UsageRow, subject: Subject): string => row[subject] ?? "";

/** The hour, day or month of a row. */
export const timeNameOf = (row: UsageRow, every: Time): string => (every === "total" ? "" : (row[every] ?? ""));

/** When turns began: the first second, and the first one after; null: at any time. */
export type Times = Pick<UsageList, "from" | "to">;

/** When the turns of a row began: rows without a time have that of their list. */
export const timesOfRow = ({ from, to }: UsageRow, list: Times): Times => ({
  from: from ?? list.from,
  to: to ?? list.to,
});

/** The organization whose turns a row counts, and their filter; null: they are those of several organizations. */
export function turnsBehind(
  row: Pick<UsageRow, Subject>,
  { from, to }: Times,
  search: Partial<Record<Subject, string>>,
  shownId: string | null,
): { readonly organizationId: string; readonly search: TurnsSearch } | null {
  const organizationId = shownId ?? row.organization ?? search.organization ?? null;
  if (organizationId === null) return null;
  const found = defined({
    from: from === null ? undefined : timeOf(from),
    to: to === null ? undefined : timeOf(to),
    model: row.model ?? search.model,
    key: row.key ?? search.key,
    // A row of keys without a member has one, which is null.
    member: row.member === null ? NO_MEMBER : (row.member ?? search.member),
  });
  return { organizationId, search: found };
}
