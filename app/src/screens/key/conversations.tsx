// The conversations of the tab's key: only the key itself shows what they begin with.
import { useInfiniteQuery } from "@tanstack/react-query";
import { keyConversationsQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { TextLink } from "../../parts/link.tsx";
import { Credits } from "../../parts/money.tsx";
import { Pages } from "../../parts/pages.tsx";
import { Section } from "../../parts/screen.tsx";
import { Ago } from "../../parts/time.tsx";

export function Conversations() {
  const pages = useInfiniteQuery(keyConversationsQuery);
  return (
    <Section title="Conversations">
      <Pages
        pages={pages}
        noun="conversations"
        empty={<Empty title="No conversation">They appear here with their first response.</Empty>}
      >
        {(rows) => (
          <DataTable
            caption="Conversations"
            isPaged
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              {
                title: "Begins with",
                isWide: true,
                value: ({ title }) => title,
                cell: ({ id, title }) => (
                  <TextLink to="/playground" search={{ conversation: id }}>
                    {title ?? "no text"}
                  </TextLink>
                ),
              },
              {
                title: "Last used",
                value: ({ last_used_at: at }) => at,
                cell: ({ last_used_at: at }) => <Ago at={at} />,
              },
              {
                title: "Responses",
                isNumber: true,
                value: ({ responses }) => responses,
                cell: ({ responses }) => formatCount(responses),
              },
              {
                title: "Credits",
                isNumber: true,
                value: ({ credits }) => credits,
                cell: ({ credits }) => <Credits amount={credits} />,
              },
              { title: "Conversation", isMinor: true, cell: ({ id }) => <Id id={id} /> },
            ]}
          />
        )}
      </Pages>
    </Section>
  );
}
