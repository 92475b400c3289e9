// How the turns of the last hour went.
import { useQuery } from "@tanstack/react-query";
import type { TurnSummary } from "../../api/client.ts";
import { LIVE_MS } from "../../api/queries.ts";
import { turnSummaryQuery } from "../../api/turn-queries.ts";
import { Card } from "../../parts/card.tsx";
import { timeOf } from "../../parts/days.ts";
import { formatMs } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import type { TurnsSearch } from "../turns/search.ts";
import { TurnsLink } from "../turns/turns-link.tsx";

export function LastHour({ id }: { id: string }) {
  const summary = useQuery({ ...turnSummaryQuery(id), refetchInterval: LIVE_MS });
  return (
    <Section title="The last hour">
      <Loaded query={summary}>
        {(data) => {
          const search = { from: timeOf(data.from), to: timeOf(data.to) };
          return (
            <div className="cards">
              <Card
                title="Turns a minute"
                figure={<TurnsLink id={id} search={search} of="the last hour" count={data.turns_per_minute} />}
              >
                <TurnsLink id={id} search={search} of="the last hour" count={data.turns} />{" "}
                {data.turns === 1 ? "turn" : "turns"}
                {data.has_more && ", the newest of the hour"}
              </Card>
              <Failures id={id} search={search} summary={data} />
              <Times id={id} search={search} title="Time to first output" times={data.first_output_ms} />
              <Times id={id} search={search} title="Duration" times={data.duration_ms} />
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}

function Failures({ id, search, summary }: { id: string; search: TurnsSearch; summary: TurnSummary }) {
  const total = summary.failures.reduce((sum, { turns }) => sum + turns, 0);
  return (
    <Card
      title="Failures"
      figure={<TurnsLink id={id} search={{ ...search, status: "failed" }} of="every failure" count={total} />}
    >
      {summary.failures.map(({ code, turns }) => (
        <div key={code}>
          <TurnsLink id={id} search={{ ...search, failure_code: code }} of={code} count={turns} /> {code}
        </div>
      ))}
    </Card>
  );
}

function Times({
  id,
  search,
  title,
  times,
}: {
  id: string;
  search: TurnsSearch;
  title: string;
  times: TurnSummary["duration_ms"];
}) {
  if (times === null) return <Card title={title} figure="–" />;
  const of = `the last hour by ${title.toLowerCase()}`;
  return (
    <Card title={title} figure={<TurnsLink id={id} search={search} of={of} count={times.p50} format={formatMs} />}>
      median; 95 % within <TurnsLink id={id} search={search} of={of} count={times.p95} format={formatMs} />
    </Card>
  );
}
