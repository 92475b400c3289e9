// Pages of a conversation's items that a reader can walk past what cannot be read. @spec endpoints/list-items
import type { ConversationStore } from "../../../ports/conversations.ts";

type ListItems = ConversationStore["listItems"];
type Page = Extract<Awaited<ReturnType<ListItems>>, { kind: "page" }>;

/**
 * Makes pages from raw ones, in which unreadable items count like the rest. A page that another one follows ends with a readable
 * item: readers go on after the last one that they could read, and stop at a page that has none.
 */
export function readablePages(list: ListItems): ListItems {
  return async (query) => {
    let page = await list(query);
    if (page.kind !== "page") return page;
    while (page.hasMore && !page.items.some(({ readable }) => readable)) {
      const after = page.items.at(-1);
      if (after === undefined || after.readable) break;
      const next = await list({ ...query, after: after.id });
      if (next.kind !== "page") return next;
      page = { ...next, items: [...page.items, ...next.items] };
    }
    return page.hasMore ? endReadable(page) : page;
  };
}

/** Leaves the unreadable items at the end to the next page. */
function endReadable(page: Page): Page {
  const last = page.items.findLastIndex(({ readable }) => readable);
  return { ...page, items: page.items.slice(0, last + 1) };
}
