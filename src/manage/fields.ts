// Fields that the operations of several subjects have.
import Type, { type TSchema } from "typebox";
import { ACCOUNTS_PAGE_DEFAULT, ACCOUNTS_PAGE_MAX, NAME_CHARACTERS_MAX } from "../contract/manage/limits.ts";
import { CREDITS_MAX, NONE } from "../contract/money.ts";

export const text = (description: string, maxLength: number = NAME_CHARACTERS_MAX, minLength = 1) =>
  Type.String({ minLength, maxLength, description });

/** An amount of credits from 0 on, or above a bound. */
export const credits = (description: string, exclusiveMinimum?: number) =>
  Type.Number({
    ...(exclusiveMinimum === undefined ? { minimum: 0 } : { exclusiveMinimum }),
    maximum: CREDITS_MAX,
    description,
  });

export const list = <Entry extends TSchema>(entry: Entry) => Type.Object({ data: Type.Array(entry) });

/** A page of a list of accounts; `accountsPage` is its query. */
export const listPage = <Entry extends TSchema>(entry: Entry) =>
  Type.Object(
    { data: Type.Array(entry), has_more: Type.Boolean() },
    { description: "In the order of their creation." },
  );

/** A page of rows of which one more than `limit` was read, to know whether there are more. */
export function presentPage<Row, Shown>(rows: readonly Row[], limit: number, present: (row: Row) => Shown) {
  return { data: rows.slice(0, limit).map((row) => present(row)), has_more: rows.length > limit };
}

export const accountsPage = {
  limit: Type.Integer({ minimum: 1, maximum: ACCOUNTS_PAGE_MAX, default: ACCOUNTS_PAGE_DEFAULT }),
  after: Type.Optional(text("the id of an entry of the list: the page starts after it")),
};

export const whole = (minimum: number, description: string, maximum: number = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ minimum, maximum, description });

export const pageSize = (maximum: number, byDefault: number) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault });

/** The query of a list that is read from the newest entry on. */
export const olderPages = (maximum: number, byDefault: number) => ({
  limit: pageSize(maximum, byDefault),
  before: Type.Optional(whole(1, "the id of an entry of the list: the page starts with the next older one")),
});

export const Done = Type.Object({ done: Type.Boolean() });

/** The text of a filter: null without one, "" (from `none`) for rows that have none. */
export function textOrNone(written: string | undefined): string | null {
  return written === NONE ? "" : (written ?? null);
}

/** A value in a message. */
export function quote(written: string): string {
  return JSON.stringify(written.slice(0, 64));
}

/** The organization as an argument of a command, and as an option of one about an organization or all. */
export const ORG = { flags: "<org>", help: "organization, by id or name" };
export const ORG_OPTION = { flags: "--org <org>", help: ORG.help };

const WRITTEN_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/** How commands read a time into Unix seconds: a day means its beginning, and a time without a zone is UTC. */
export const TIME = {
  from: (written: string) => {
    const [, day = "", time = "00:00", zone = "Z"] = WRITTEN_TIME.exec(written) ?? [];
    const dayMs = Date.parse(day);
    // A 30th of February would be a day in March.
    if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(day)) return null;
    return Math.floor(Date.parse(`${day}T${time}${zone}`) / 1000);
  },
  allowed: "a day or a time, in UTC unless it names its zone, such as 2026-11-30 or 2026-11-30T18:00:30+01:00",
};
