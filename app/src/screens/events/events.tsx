// The feed of events: budgets and credits that run low, changes of keys and members, providers that fail.
import { Code } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { FeedEvent } from "../../api/client.ts";
import { eventsQuery } from "../../api/queries.ts";
import { formatTime } from "../../parts/format.ts";
import { ShortIds } from "../../parts/id.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { useMoneyWords } from "../../parts/money.tsx";
import { Pages } from "../../parts/pages.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Ago } from "../../parts/time.tsx";
import { useNames } from "../names.ts";
import { useOrganizationId } from "../use-organization-id.ts";

/** How often the screen looks for new events, milliseconds. */
const EVENTS_MS = 15_000;

export function OrganizationEvents() {
  return <Events organizationId={useOrganizationId()} title="Events" />;
}

export function AllEvents() {
  return <Events organizationId={null} title="Events of all organizations" />;
}

function Events({ organizationId, title }: { organizationId: string | null; title: string }) {
  const pages = useInfiniteQuery({
    ...eventsQuery(organizationId),
    // Older pages that were read stay as they are.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : EVENTS_MS),
  });
  const named = useNames(organizationId);
  const words = useMoneyWords();
  /** A sentence of the service, with the dollars of its amounts and the times of the person's zone. */
  const inOwnWords = (sentence: string) =>
    sentence
      .replaceAll(/([\d,]+\.\d+) credits/g, (_, amount: string) => words(Number(amount.replaceAll(",", ""))))
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, (time) => formatTime(Date.parse(time) / 1000).text);
  return (
    <Screen
      title={title}
      about={
        <>
          Newest first. <Code>turngate notify</Code> sends them by HTTP, Slack or mail.
        </>
      }
    >
      <Pages
        pages={pages}
        noun="events"
        empty={
          <Empty title="No event yet">
            Changes of keys, members and budgets appear here, and budgets and credits that run low.
          </Empty>
        }
      >
        {(rows) => (
          <ListTable
            isPaged
            caption={title}
            rows={rows}
            rowKey={(event) => String(event.id)}
            columns={[
              { title: "When", value: ({ at }) => at, cell: ({ at }) => <Ago at={at} /> },
              {
                title: "What",
                isWide: true,
                isSentence: true,
                value: ({ message }) => message,
                cell: ({ message }) => inOwnWords(message),
              },
              {
                title: "Type",
                value: ({ type }) => type,
                isOptional: true,
                isMinor: true,
                cell: ({ type }) => <Code>{type}</Code>,
              },
              {
                title: "By",
                cell: ({ actor, actor_name: name }) =>
                  actor !== null && <ShortIds text={named(`${actor.kind} ${name ?? actor.id}`)} />,
              },
              ...(organizationId === null
                ? [{ title: "Organization", cell: (event: FeedEvent) => event.organization_name ?? "" }]
                : []),
            ]}
          />
        )}
      </Pages>
    </Screen>
  );
}
