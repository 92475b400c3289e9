// Implements the store's port with the procedures. An engine adds only how it runs one of them. @spec
// endpoints/get-conversations-id-items
import type { Store } from "../ports/store/store.ts";
import type { Procedure } from "./engine/procedure.ts";
import { callsOf, type RunProcedure } from "./engine/run.ts";
import { EXPIRED_BATCH } from "./histories/upkeep.ts";
import type { ProcedureName, Procedures } from "./procedures.ts";
import type { ConversationStore } from "../ports/store/conversations.ts";

/** All functions of the port but `close`. */
export function createPort(
  run: RunProcedure<ProcedureName | "ping">,
  procedures: Procedures,
  ping: Procedure<void, void>,
): Omit<Store, "close"> {
  const calls = callsOf<Omit<Store, "close">>({ ...procedures, ping }, run);
  return {
    ...calls,
    listItems: readablePages(calls.listItems),
    forgetExpired: async (query) => {
      const forgotten = { claims: 0, secrets: 0, events: 0, rejections: 0, failures: 0 };
      for (;;) {
        const { claims, secrets, events, rejections, failures } = await calls.forgetExpired(query);
        forgotten.claims += claims;
        forgotten.secrets += secrets;
        forgotten.events += events;
        forgotten.rejections += rejections;
        forgotten.failures += failures;
        if (Math.max(claims, secrets, events, rejections, failures) < EXPIRED_BATCH) return forgotten;
      }
    },
  };
}

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
