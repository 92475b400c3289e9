// The failure rate of the last 24 hours, of rejected requests and failed responses alike; members see their own keys.
import { useQuery } from "@tanstack/react-query";
import type { ErrorCode, FailureSums, UsageList } from "../../api/client.ts";
import { failuresQuery, LIVE_MS, previousOf } from "../../api/queries.ts";
import { recentHoursQuery, turnsBetween } from "../../attention/recent-turns.ts";
import { Card } from "../../parts/card.tsx";
import { formatCount, formatRate } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Section } from "../../parts/screen.tsx";
import { ReadFrom } from "../errors/read-from.tsx";
import { describeTrend } from "./trend.ts";

/** Codes that the card lists; the screen of errors has all. */
const CODES_SHOWN = 4;
const DAY_SECONDS = 86_400;
const DAY_BEFORE_MS = 60_000;

export function LastDay({ organizationId }: { organizationId: string }) {
  const { data: sums } = useQuery({ ...failuresQuery(organizationId), refetchInterval: LIVE_MS });
  return (
    <Section title="The last 24 hours">
      <div className="cards">
        {sums === undefined ? (
          <Card title="Failure rate" figure="–" />
        ) : (
          <Rate organizationId={organizationId} sums={sums} />
        )}
        <Codes organizationId={organizationId} sums={sums} />
      </div>
    </Section>
  );
}

/** The failed share of the requests, beside that of the day before. */
function Rate({ organizationId, sums }: { organizationId: string; sums: FailureSums }) {
  const { from } = sums;
  const earlier = { from: from - DAY_SECONDS, to: from, by: "kind" };
  const { data: before } = useQuery({
    ...failuresQuery(organizationId, earlier),
    refetchInterval: DAY_BEFORE_MS,
    placeholderData: previousOf(organizationId),
  });
  const { data: hours } = useQuery({ ...recentHoursQuery(organizationId), refetchInterval: LIVE_MS });
  if (hours === undefined) return <Card title="Failure rate" figure="–" />;
  // Sums that leave something out are no share of the requests.
  if (sums.read_from !== null) {
    return (
      <Card title="Failure rate" figure="–">
        <div>More failures than are counted</div>
      </Card>
    );
  }
  const all = requestsOf(sums, hours);
  const rate = all === 0 ? null : sums.total / all;
  const allBefore = before === undefined || before.read_from !== null ? 0 : requestsOf(before, hours);
  const trend = describeTrend(rate, allBefore === 0 ? null : (before?.total ?? 0) / allBefore, formatRate);
  return (
    <Card title="Failure rate" figure={rate === null ? "–" : formatRate(rate)}>
      <div>
        {formatCount(sums.total)} of {formatCount(all)} requests
      </div>
      {trend !== null && <div>{trend}</div>}
    </Card>
  );
}

/** Requests of the hours of the sums: ended turns, and what never became one. */
function requestsOf({ data, from, to }: FailureSums, hours: UsageList): number {
  const without = data.filter(({ kind }) => kind === "withdrawn" || kind === "rejected");
  return without.reduce((sum, { failures }) => sum + failures, turnsBetween(hours, from, to));
}

function Codes({ organizationId, sums }: { organizationId: string; sums: FailureSums | undefined }) {
  const counts = new Map<ErrorCode, number>();
  for (const { code, failures } of sums?.data ?? []) {
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
    <Card title="Failures in 24 hours" figure={sums === undefined ? "–" : link(undefined, sums.total)}>
      {codes.slice(0, CODES_SHOWN).map(([code, count]) => (
        <div key={code}>
          {link(code, count)} {code}
        </div>
      ))}
      {sums !== undefined && <ReadFrom of={sums} />}
      {codes.length > CODES_SHOWN && <div>and {formatCount(codes.length - CODES_SHOWN)} more codes</div>}
    </Card>
  );
}
