// Lists that have pages, for commands: as many entries as were asked for, or all.
import type { Ask, Operation } from "../../manage/operation.ts";

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

/** Asks; a list is read on until it has `limit` entries or ends, where a page may have fewer than there are. */
export async function readWhole(operation: Operation, input: object, ask: Ask): Promise<object> {
  const first = await ask(operation, input);
  const { limit, after } = Object.fromEntries<unknown>(Object.entries(input));
  if (typeof limit !== "number" || !isPage(first)) return first;
  if (!("next" in first) && (after !== undefined || !("older" in first))) return first;
  const data = [...first.data];
  let last = first;
  for (let place = placeAfter(first, operation, input); place !== null && data.length < limit; ) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    last = (await ask(operation, { ...input, ...place, limit: limit - data.length })) as Page;
    data.push(...last.data);
    place = placeAfter(last, operation, input);
  }
  const ends = WAYS.filter((name) => name in first).map((name) => [name, last[name]]);
  return { ...first, data, has_more: last.has_more, ...Object.fromEntries(ends) };
}

/** Asks for all entries of a list, in pages of the largest size. */
export async function readAll(operation: Operation, input: object, ask: Ask): Promise<object> {
  const limit: unknown = operation.fields["limit"] && Reflect.get(operation.fields["limit"], "maximum");
  const first = await ask(operation, { ...input, limit });
  if (!isPage(first)) return first;
  const data = [...first.data];
  let place = placeAfter(first, operation, input);
  while (place !== null) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const page = (await ask(operation, { ...input, limit, ...place })) as Page;
    data.push(...page.data);
    place = placeAfter(page, operation, input);
  }
  const ends = WAYS.filter((name) => name in first).map((name) => [name, null]);
  return { ...first, data, has_more: false, ...Object.fromEntries(ends) };
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
