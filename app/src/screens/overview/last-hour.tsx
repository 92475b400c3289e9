// How the turns of the last hour went.
import { useQuery } from "@tanstack/react-query";
import type { ErrorCode, TurnSummary } from "../../api/client.ts";
import { failuresQuery, LIVE_MS } from "../../api/queries.ts";
import { turnSummaryQuery } from "../../api/turn-queries.ts";
import { Card } from "../../parts/card.tsx";
import { timeOf } from "../../parts/days.ts";
import { formatCount, formatMs } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { ReadFrom } from "../errors/read-from.tsx";
import type { TurnsSearch } from "../turns/search.ts";
import { TurnsLink } from "../turns/turns-link.tsx";

export function LastHour({ organizationId }: { organizationId: string }) {
  const summary = useQuery({ ...turnSummaryQuery(organizationId), refetchInterval: LIVE_MS });
  return (
    <Section title="The last hour">
      <Loaded query={summary}>
        {(data) => {
          const search = { from: timeOf(data.from), to: timeOf(data.to) };
          return (
            <div className="cards">
              <Card
                title="Turns a minute"
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
                {data.turns === 1 ? "turn" : "turns"}
                {data.has_more && ", the newest of the hour"}
              </Card>
              <Failures organizationId={organizationId} />
              <Times
                organizationId={organizationId}
                search={search}
                title="Time to first output"
                times={data.first_output_ms}
              />
              <Times organizationId={organizationId} search={search} title="Duration" times={data.duration_ms} />
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** Codes that the card lists; the screen of errors has all. */
const CODES_SHOWN = 4;

/** What failed however it was told, also what never got a response; for members of their own keys. */
function Failures({ organizationId }: { organizationId: string }) {
  const { data } = useQuery({ ...failuresQuery(organizationId), refetchInterval: LIVE_MS });
  const counts = new Map<ErrorCode, number>();
  for (const { code, failures } of data?.data ?? []) {
    if (code != null) counts.set(code, (counts.get(code) ?? 0) + failures);
  }
  const codes = [...counts].toSorted(([, one], [, other]) => other - one);
  const link = (code: ErrorCode | undefined, count: number) => (
    <TextLink
      to="/organizations/$organizationId/errors"
      params={{ organizationId }}
      search={code === undefined ? {} : { code }}
      aria-label={`${formatCount(count)}, the errors behind ${code ?? "all failures"}`}
    >
      {formatCount(count)}
    </TextLink>
  );
  return (
    <Card title="Failures in 24 hours" figure={data === undefined ? "–" : link(undefined, data.total)}>
      {codes.slice(0, CODES_SHOWN).map(([code, count]) => (
        <div key={code}>
          {link(code, count)} {code}
        </div>
      ))}
      {data !== undefined && <ReadFrom of={data} />}
      {codes.length > CODES_SHOWN && <div>and {formatCount(codes.length - CODES_SHOWN)} more codes</div>}
    </Card>
  );
}

function Times({
  organizationId,
  search,
  title,
  times,
}: {
  organizationId: string;
  search: TurnsSearch;
  title: string;
  times: TurnSummary["duration_ms"];
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
    </Card>
  );
}
