// turngate events …: the feed of management events.
import type { Command } from "commander";
import { EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX } from "../../contract/manage/event-types.ts";
import { presentEvent } from "../../flows/accounts/present-events.ts";
import { limitOption, ORGANIZATION, wholeNumber } from "./options.ts";
import { type OutputOptions, printList } from "./output.ts";
import { findOrganizationId, withStore } from "./with-store.ts";

export function addEvents(program: Command): void {
  const events = program.command("events").description("the feed of events: budgets, credits, keys, providers");
  events
    .command("list")
    .description("list events, newest first")
    .option(...ORGANIZATION)
    .addOption(limitOption("events", EVENTS_PAGE_MAX, EVENTS_PAGE_DEFAULT))
    .option("--before <id>", "only events before this one", wholeNumber(1))
    .action(list);
}

interface ListOptions extends OutputOptions {
  readonly org?: string;
  readonly limit: number;
  readonly before?: number;
}

async function list(options: ListOptions) {
  const from = { direction: "before", id: options.before ?? Number.MAX_SAFE_INTEGER } as const;
  const events = await withStore(async ({ store }) =>
    store.listEvents({ organizationId: await findOrganizationId(store, options.org), from, limit: options.limit }),
  );
  const shown = events.map(presentEvent);
  const lines = shown.map(({ id, at, organization_name: organization, type, message }) => {
    return { id, at: new Date(at * 1000).toISOString(), organization, type, message };
  });
  printList(options.json ? shown : lines, options, "There is no event yet.");
}
