// How the responses of the last hour went.
import { useQuery } from "@tanstack/react-query";
import type { TurnSummary } from "../../api/client.ts";
import { LIVE_MS, previousOf } from "../../api/queries.ts";
import { turnSummaryQuery } from "../../api/turn-queries.ts";
import { Card } from "../../parts/card.tsx";
import { timeOf } from "../../parts/days.ts";
import { formatMs } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import type { TurnsSearch } from "../turns/search.ts";
import { TurnsLink } from "../turns/turns-link.tsx";
import { describeTrend } from "./trend.ts";

const DAY_SECONDS = 86_400;

export function LastHour({ organizationId }: { organizationId: string }) {
  const summary = useQuery({ ...turnSummaryQuery(organizationId), refetchInterval: LIVE_MS });
  // The same hour of the day before, which ends with a minute that has passed.
  const to = summary.data === undefined ? null : summary.data.to - 1 - DAY_SECONDS;
  const { data: before } = useQuery({
    ...turnSummaryQuery(organizationId, { to: to ?? 0 }),
    enabled: to !== null,
    placeholderData: previousOf(organizationId),
  });
  return (
    <Section title="The last hour">
      <Loaded query={summary}>
        {(data) => {
          const search = { from: timeOf(data.from), to: timeOf(data.to) };
          return (
            <div className="cards">
              <Card
                title="Responses a minute"
                figure={
                  <TurnsLink
                    organizationId={organizationId}
                    search={search}
                    subject="the last hour"
                    count={data.turns_per_minute}
                  />
                }
              >
                <TurnsLink organizationId={organizationId} search={search} subject="the last hour" count={data.turns} />{" "}
                {data.turns === 1 ? "response" : "responses"}
                {data.has_more && ", the newest of the hour"}
              </Card>
              <Times
                organizationId={organizationId}
                search={search}
                title="Time to first output"
                times={data.first_output_ms}
                before={before?.first_output_ms}
              />
              <Times
                organizationId={organizationId}
                search={search}
                title="Duration"
                times={data.duration_ms}
                before={before?.duration_ms}
              />
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}

function Times({
  organizationId,
  search,
  title,
  times,
  before,
}: {
  organizationId: string;
  search: TurnsSearch;
  title: string;
  times: TurnSummary["duration_ms"];
  /** A day ago. */
  before: TurnSummary["duration_ms"] | undefined;
}) {
  if (times === null) return <Card title={title} figure="–" />;
  const of = `the last hour by ${title.toLowerCase()}`;
  return (
    <Card
      title={title}
      figure={
        <TurnsLink organizationId={organizationId} search={search} subject={of} count={times.p50} format={formatMs} />
      }
    >
      median; 95 % within{" "}
      <TurnsLink organizationId={organizationId} search={search} subject={of} count={times.p95} format={formatMs} />
      {before != null && (
        <>
          <div>median {describeTrend(times.p50, before.p50, formatMs)}</div>
          <div>95 % {describeTrend(times.p95, before.p95, formatMs)}</div>
        </>
      )}
    </Card>
  );
}
