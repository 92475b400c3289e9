// The log of turns: what ran, filtered by the URL, newest first, and refreshed while the newest page alone is shown.
import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { LoggedTurn, TurnGrouping } from "../../api/client.ts";
import { LIVE_MS } from "../../api/queries.ts";
import { TURNS_PAGE, turnsQuery } from "../../api/turn-queries.ts";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatMs } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { TextLink } from "../../parts/link.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Pages } from "../../parts/pages.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Ago } from "../../parts/time.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { queryOf, useTimes } from "../time-range.ts";
import { Filters } from "./filters.tsx";
import { GroupChoice, Groups } from "./groups.tsx";
import { Histogram } from "./histogram.tsx";
import { readTurnsView, type TurnsChange } from "./search.ts";
import { usageOf } from "./usage-of.ts";
import { TurnStatus } from "./turn-status.tsx";
import { Credits } from "../../parts/money.tsx";

export function Turns() {
  const organizationId = useOrganizationId();
  const { role } = useSession();
  // The router hands on what the check of the route's search leaves out.
  const { by, ...shown } = useSearch({
    from: "/signed-in/organizations/$organizationId/turns",
    select: readTurnsView,
  });
  const search = useTimes(shown);
  const navigate = useNavigate({ from: "/organizations/$organizationId/turns" });
  const pages = useInfiniteQuery({
    ...turnsQuery(organizationId, queryOf(search)),
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? LIVE_MS : false),
  });
  const show = (grouping: TurnGrouping | undefined, change: TurnsChange = {}) =>
    void navigate({ search: { ...shown, ...change, by: grouping }, replace: true });
  const filter = (change: TurnsChange) => show(by, change);
  return (
    <Screen
      title="Responses"
      about={`${mayManage(role) ? "What ran in the organization" : "What ran with your keys"}, newest first, without its content.`}
      actions={
        <TextLink
          to="/organizations/$organizationId/usage"
          params={{ organizationId }}
          search={{ ...usageOf(search), metric: "credits" }}
        >
          Usage of these filters
        </TextLink>
      }
    >
      <div className="usage-controls">
        <Filters organizationId={organizationId} search={shown} onChange={filter} />
        <GroupChoice by={by} onGroup={show} />
      </div>
      <Histogram
        organizationId={organizationId}
        search={search}
        onPick={(times) => filter({ range: undefined, ...times })}
      />
      {by !== undefined && <Groups organizationId={organizationId} search={search} by={by} />}
      <Pages
        pages={pages}
        noun="responses"
        fillTo={TURNS_PAGE}
        empty={
          <Empty title="No such response">
            {Object.keys(search).length === 0 ? "Send a request with a key." : "Change the filters."}
          </Empty>
        }
      >
        {(rows) => <TurnTable organizationId={organizationId} turns={rows} />}
      </Pages>
      {(pages.data?.pages.length ?? 0) > 1 && (
        <Text size="sm" c="dimmed">
          New responses are not added while older ones are shown.
        </Text>
      )}
    </Screen>
  );
}

function TurnTable({ organizationId, turns }: { organizationId: string; turns: readonly LoggedTurn[] }) {
  return (
    <ListTable
      caption="Responses"
      isPaged
      rows={turns}
      rowKey={({ id }) => id}
      columns={[
        {
          title: "Began",
          value: ({ created_at: at }) => at,
          cell: ({ id, created_at: at }) => (
            <TextLink to="/organizations/$organizationId/turns/$responseId" params={{ organizationId, responseId: id }}>
              <Ago at={at} />
            </TextLink>
          ),
        },
        {
          title: "Status",
          value: ({ status, failure_code: code }) => code ?? status,
          cell: (turn) => <TurnStatus turn={turn} />,
        },
        { title: "Response", isOptional: true, isMinor: true, cell: ({ id }) => <Id id={id} /> },
        { title: "Model", isWide: true, value: ({ model }) => model, cell: ({ model }) => model },
        {
          title: "Key",
          value: ({ key, key_name: name }) => name ?? key,
          cell: ({ key, key_name: name }) => name ?? key,
        },
        { title: "Member", isOptional: true, isMinor: true, value: ({ email }) => email, cell: ({ email }) => email },
        {
          title: "Conversation",
          isOptional: true,
          isMinor: true,
          cell: ({ conversation }) => conversation !== null && <Id id={conversation} />,
        },
        {
          title: "Input",
          isNumber: true,
          isMinor: true,
          value: ({ input_tokens: count }) => count,
          cell: (turn) => formatCount(turn.input_tokens),
        },
        {
          title: "Output",
          isNumber: true,
          isMinor: true,
          value: ({ output_tokens: count }) => count,
          cell: (turn) => formatCount(turn.output_tokens),
        },
        {
          title: "Credits",
          isNumber: true,
          value: ({ credits }) => credits,
          cell: ({ credits }) => (credits === null ? "" : <Credits amount={credits} />),
        },
        {
          title: "First output",
          isNumber: true,
          isMinor: true,
          value: ({ first_output_ms: ms }) => ms,
          cell: (turn) => formatMs(turn.first_output_ms),
        },
        {
          title: "Duration",
          isNumber: true,
          value: ({ duration_ms: ms }) => ms,
          cell: (turn) => formatMs(turn.duration_ms),
        },
      ]}
    />
  );
}
