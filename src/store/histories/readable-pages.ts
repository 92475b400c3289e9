// Pages of a conversation's items on which a client can page past unreadable items. @spec
// endpoints/get-conversations-id-items
import type { ConversationStore } from "../../ports/store/conversations.ts";

type ListItems = ConversationStore["listItems"];
type Page = Extract<Awaited<ReturnType<ListItems>>, { kind: "page" }>;

/**
 * Turns raw pages, which count unreadable items like the rest, into pages that end with a readable item whenever
 * another page follows: clients continue after the last item that they could read, and stop at a page without one.
 */
export function readablePages(list: ListItems): ListItems {
  return async function listReadable(query) {
    let page = await list(query);
    if (page.kind !== "page") return page;
    while (page.hasMore && !page.items.some(({ readable }) => readable)) {
      const after = page.items.at(-1);
      if (after === undefined || after.readable) break;
      const next = await list({ ...query, after: after.id });
      // The unreadable item was deleted just now. It is not the item that the client named, so start again.
      if (next.kind === "no_such_item") return listReadable(query);
      if (next.kind !== "page") return next;
      page = { ...next, items: [...page.items, ...next.items] };
    }
    return page.hasMore ? endReadable(page) : page;
  };
}

/** Leaves trailing unreadable items to the next page. */
function endReadable(page: Page): Page {
  const last = page.items.findLastIndex(({ readable }) => readable);
  return { ...page, items: page.items.slice(0, last + 1) };
}
