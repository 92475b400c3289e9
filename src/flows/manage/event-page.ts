// A page of the feed of events: newest first, or on from an id.
import { invalidInput } from "../../contract/errors.ts";
import type { QueryOf } from "../../contract/manage/queries.ts";
import type { EventStore } from "../../ports/store/events.ts";
import { presentEvent } from "../accounts/present-events.ts";
import { presentPage } from "./paging.ts";

/** Lists a page of one organization's events, or of all (null). Throws 400 `invalid_input` for `after` with `before`. */
export async function listEvents(
  store: Pick<EventStore, "listEvents">,
  organizationId: string | null,
  { limit, after, before }: QueryOf<"listEvents">,
) {
  if (after !== null && before !== null) throw invalidInput("after", "before and after exclude each other.");
  const from =
    after === null
      ? ({ direction: "before", id: before ?? Number.MAX_SAFE_INTEGER } as const)
      : ({ direction: "after", id: after } as const);
  const events = await store.listEvents({ organizationId, from, limit: limit + 1 });
  return presentPage(events, limit, presentEvent);
}
