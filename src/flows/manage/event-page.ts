// A page of the feed of events: newest first, or on from an id.
import { invalidInput } from "../../contract/errors.ts";
import { EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX } from "../../contract/manage/event-types.ts";
import type { EventStore } from "../../ports/store/events.ts";
import { presentEvent } from "../accounts/present-events.ts";
import { presentPage, readWhole } from "./paging.ts";

/**
 * Lists a page of one organization's events, or of all (null). Throws 400 `invalid_input` for an invalid `limit`,
 * `after` or `before`, and for both of them.
 */
export async function listEvents(
  store: Pick<EventStore, "listEvents">,
  organizationId: string | null,
  query: ReadonlyMap<string, string>,
) {
  const limit = readWhole("limit", query.get("limit"), 1, EVENTS_PAGE_MAX) ?? EVENTS_PAGE_DEFAULT;
  const after = readWhole("after", query.get("after"), 0, Number.MAX_SAFE_INTEGER);
  const before = readWhole("before", query.get("before"), 1, Number.MAX_SAFE_INTEGER);
  if (after !== null && before !== null) throw invalidInput("after", "before and after exclude each other.");
  const from =
    after === null
      ? ({ direction: "before", id: before ?? Number.MAX_SAFE_INTEGER } as const)
      : ({ direction: "after", id: after } as const);
  const events = await store.listEvents({ organizationId, from, limit: limit + 1 });
  return presentPage(events, limit, presentEvent);
}
