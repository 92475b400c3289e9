// turngate events …: the feed of management events.
import type { Command } from "commander";
import { EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX } from "../../contract/manage/event-types.ts";
import { listEvents } from "../../flows/manage/event-page.ts";
import { limitOption, ORGANIZATION, type ScopeOptions, wholeNumber } from "./options.ts";
import { printsList, timeOf } from "./output.ts";
import { queryOf } from "./queries.ts";
import { withScope } from "./with-store.ts";

export function addEvents(program: Command): void {
  const events = program.command("events").description("the feed of events: budgets, credits, keys, providers");
  events
    .command("list")
    .description("list events, newest first")
    .option(...ORGANIZATION)
    .addOption(limitOption("events", EVENTS_PAGE_MAX, EVENTS_PAGE_DEFAULT))
    .option("--before <id>", "only events before this one", wholeNumber(1))
    .action(
      printsList("There is no event yet.", list, ({ id, at, organization_name: organization, type, message }) => ({
        id,
        at: timeOf(at),
        organization,
        type,
        message,
      })),
    );
}

async function list(options: ScopeOptions) {
  const { data } = await withScope(options.org, ({ store }, organizationId) =>
    listEvents(store, organizationId, queryOf("listEvents", options)),
  );
  return data;
}
