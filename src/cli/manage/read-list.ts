// Lists that have pages, for commands: the requested number of entries, or all.
import type { CallOperation, Operation } from "../../manage/definition/operation.ts";

/** A page, as far as it leads to the next one. */
interface Page {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
  /** `before` of the next older page; null on the oldest. */
  readonly older?: unknown;
  /** `after` of the next page; null on the last. Without either the id of the last entry leads on. */
  readonly next?: unknown;
}

const WAYS = ["older", "next"] as const;

/** Calls the operation; reads on through a list until it has `limit` entries or ends: a page may have fewer. */
export async function readUpToLimit(operation: Operation, input: object, call: CallOperation): Promise<object> {
  const first = await call(operation, input);
  const { limit, after } = Object.fromEntries<unknown>(Object.entries(input));
  if (typeof limit !== "number" || !isPage(first)) return first;
  if (!("next" in first) && (after !== undefined || !("older" in first))) return first;
  return readOn(first, limit, { operation, input: { ...input, limit }, call });
}

/** Reads all entries of a list, in pages of the largest size. */
export async function readEveryPage(operation: Operation, input: object, call: CallOperation): Promise<object> {
  const limit = Number(operation.fields["limit"] && Reflect.get(operation.fields["limit"], "maximum"));
  const whole = { ...input, limit };
  const first = await call(operation, whole);
  return isPage(first) ? readOn(first, Number.POSITIVE_INFINITY, { operation, input: whole, call }) : first;
}

interface List {
  readonly operation: Operation;
  /** What the first page was called with. */
  readonly input: { readonly limit: number };
  readonly call: CallOperation;
}

/** The first page with what follows it, up to so many entries. */
async function readOn(first: Page, most: number, { operation, input, call }: List): Promise<object> {
  const data = [...first.data];
  let last = first;
  for (let place = placeAfter(first, operation, input); place !== null && data.length < most; ) {
    const limit = Math.min(input.limit, most - data.length);
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    last = (await call(operation, { ...input, ...place, limit })) as Page;
    data.push(...last.data);
    place = placeAfter(last, operation, input);
  }
  const ends = WAYS.filter((name) => name in first).map((name) => [name, last[name]]);
  return { ...first, data, has_more: last.has_more, ...Object.fromEntries(ends) };
}

/** The place of the next page; null: there is none. */
function placeAfter({ data, has_more, older, next }: Page, { fields }: Operation, input: object): object | null {
  if (next !== undefined) return next === null ? null : { after: next };
  if (older !== undefined) return older === null ? null : { before: older };
  if (!has_more) return null;
  const last: unknown = data.at(-1);
  const id: unknown = typeof last === "object" && last !== null ? Reflect.get(last, "id") : undefined;
  if (id === undefined) return null;
  // Oldest first by `after`, newest first by `before`; what has both is newest first unless it is asked for the other.
  return "after" in input || !("before" in fields) ? { after: id } : { before: id };
}

function isPage(reply: object): reply is Page {
  return "data" in reply && "has_more" in reply;
}
