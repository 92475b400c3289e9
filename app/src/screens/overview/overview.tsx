// How things stand: what needs a person, what an organization spends and has left, how its turns went.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import type { Organization, UsageList, UsageRow } from "../../api/client.ts";
import { budgetsQuery, increasesQuery, LIVE_MS, organizationQuery, usageQuery } from "../../api/queries.ts";
import { mayRetry } from "../../api/failure.ts";
import { stopOf } from "../../attention/attention.ts";
import { BaseUrl } from "../../parts/base-url.tsx";
import { Card } from "../../parts/card.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { dayIn, monthStartIn, ownZone } from "../../parts/days.ts";
import { formatCount, formatCredits } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Credits, Dollars } from "../../parts/money.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { BudgetTable } from "../budgets/budget-table.tsx";
import { RunningNow } from "../running/running.tsx";
import { TurnsLink } from "../turns/turns-link.tsx";
import { idOf, nameOf, turnsBehind } from "../usage/rows.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { WhomToAsk } from "../whom-to-ask.tsx";
import { AttentionList } from "./attention-list.tsx";
import { everQuery, isUsed } from "./ever.ts";
import { FirstSteps } from "./first-steps.tsx";
import { LastDay } from "./last-day.tsx";
import { LastHour } from "./last-hour.tsx";
import { TwoWeeks } from "./two-weeks.tsx";

const Increases = lazy(async () => ({ default: (await import("../budgets/increases.tsx")).Increases }));

/** The days over which the rate of spending is measured. */
const RATE_DAYS = 7;
/** A longer forecast would say nothing. */
const DAYS_SHOWN_MAX = 3652;
/** Rows of the lists of the most expensive models and keys. */
const TOP = 5;

export function Overview() {
  const organizationId = useOrganizationId();
  const { role, base_url: baseUrl } = useSession();
  const organization = useQuery({ ...organizationQuery(organizationId), refetchInterval: LIVE_MS });
  const ever = useQuery(everQuery(organizationId));
  // Nothing else of an organization that is gone, or is not the person's, can be read.
  if (organization.data === undefined && organization.error !== null && !mayRetry(organization.error)) {
    return (
      <Screen title="Overview">
        <ErrorNotice error={organization.error} />
      </Screen>
    );
  }
  // Before the first response there are only zeros. Nothing waits to know whether it was.
  const isNew = ever.data !== undefined && !isUsed(ever.data);
  const whose = mayManage(role) ? "of the organization" : "of your keys";
  return (
    <Screen
      title="Overview"
      actions={<BaseUrl url={baseUrl} />}
      about={`Spending ${whose}, by days of ${ownZone()}${ownZone() === "UTC" ? "" : "; budgets count days of UTC"}. The figures are refreshed every 5 seconds.`}
    >
      {mayManage(role) && <AttentionList organizationId={organizationId} />}
      {mayManage(role) && <IncreasesNow organizationId={organizationId} />}
      <Loaded query={organization}>
        {(data) => (
          <>
            <FirstSteps organization={data} />
            <div className="cards">
              <Balance organization={data} />
              <Spent organizationId={organizationId} title="Spent today" from={dayIn(ownZone())} />
              <Spent organizationId={organizationId} title="Spent this month" from={monthStartIn(ownZone())} />
            </div>
          </>
        )}
      </Loaded>
      {!isNew && <TwoWeeks organizationId={organizationId} />}
      <LastDay organizationId={organizationId} />
      {!isNew && (
        <>
          <LastHour organizationId={organizationId} />
          <div className="pair">
            <MostExpensive organizationId={organizationId} by="model" title="Models this month" />
            <MostExpensive organizationId={organizationId} by="key" title="Keys this month" />
          </div>
        </>
      )}
      {mayManage(role) && <BudgetsNow organizationId={organizationId} />}
      {mayManage(role) && <RunningNow organizationId={organizationId} />}
    </Screen>
  );
}

function Balance({ organization }: { organization: Organization }) {
  const { role } = useSession();
  const week = useQuery({
    ...usageQuery(organization.id, sinceDay(dayIn(ownZone(), RATE_DAYS - 1))),
    refetchInterval: LIVE_MS,
  });
  const spent = week.data?.data[0]?.credits ?? 0;
  const days = spent > 0 ? organization.credits / (spent / RATE_DAYS) : null;
  const stop = stopOf(organization);
  return (
    <Card
      title="Credits left"
      figure={
        mayManage(role) ? (
          <>
            <TextLink
              to="/organizations/$organizationId/budgets"
              params={{ organizationId: organization.id }}
              aria-label={`${formatCredits(organization.credits)}, the transfers behind it`}
            >
              {formatCredits(organization.credits)}
            </TextLink>{" "}
            credits <Dollars amount={organization.credits} />
          </>
        ) : (
          <Credits amount={organization.credits} hasUnit />
        )
      }
    >
      {/* A member sees the usage of some keys only, which says nothing about the whole. */}
      {mayManage(role) && days !== null && (
        <div>
          {describeDays(days)} at the rate of the last {RATE_DAYS} days
        </div>
      )}
      {organization.held > 0 && (
        <div>
          <Credits amount={organization.held} hasUnit /> more are reserved for running responses
        </div>
      )}
      {!mayManage(role) && stop !== null && (
        <div>
          {stop}: requests are rejected. <WhomToAsk organizationId={organization.id} forWhat="to change that" />
        </div>
      )}
      {organization.suspended === true && <Status tone="bad">suspended</Status>}
    </Card>
  );
}

function describeDays(days: number): string {
  if (days < 1) return "Less than a day";
  return days > DAYS_SHOWN_MAX ? "More than ten years" : `About ${formatCount(Math.floor(days))} days`;
}

function Spent({ organizationId, title, from }: { organizationId: string; title: string; from: string }) {
  const usage = useQuery({ ...usageQuery(organizationId, sinceDay(from)), refetchInterval: LIVE_MS });
  return (
    <Loaded query={usage}>
      {(list) => {
        const [total] = list.data;
        const { responses = 0, credits = 0, input_tokens: input = 0, output_tokens: output = 0 } = total ?? {};
        const behind = turnsBehind({}, list, {}, organizationId)?.search ?? {};
        const of = title.toLowerCase();
        return (
          <Card
            title={title}
            figure={
              <>
                <TurnsLink
                  organizationId={organizationId}
                  search={behind}
                  subject={of}
                  count={credits}
                  format={formatCredits}
                />{" "}
                credits <Dollars amount={credits} />
              </>
            }
          >
            <TurnsLink organizationId={organizationId} search={behind} subject={of} count={responses} />{" "}
            {responses === 1 ? "response" : "responses"},{" "}
            <TurnsLink organizationId={organizationId} search={behind} subject={of} count={input + output} /> tokens
          </Card>
        );
      }}
    </Loaded>
  );
}

/** Few organizations have any: the code is loaded for those that do. */
function IncreasesNow({ organizationId }: { organizationId: string }) {
  const { data: increases = [] } = useQuery({ ...increasesQuery(organizationId), refetchInterval: LIVE_MS });
  if (increases.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <Increases organizationId={organizationId} />
    </Suspense>
  );
}

/** From a day on, in the zone of the person. */
const sinceDay = (from: string) => ({ from, to: dayIn(ownZone()), zone: ownZone() });

function BudgetsNow({ organizationId }: { organizationId: string }) {
  const budgets = useQuery({ ...budgetsQuery(organizationId), refetchInterval: LIVE_MS });
  return (
    <Section title="Budgets">
      <Loaded query={budgets} empty={<Empty title="No budget">Only the balance limits spending.</Empty>}>
        {(data) => <BudgetTable organizationId={organizationId} budgets={data} />}
      </Loaded>
    </Section>
  );
}

function MostExpensive({ organizationId, by, title }: { organizationId: string; by: "model" | "key"; title: string }) {
  const month = sinceDay(monthStartIn(ownZone()));
  const usage = useQuery({ ...usageQuery(organizationId, { ...month, by }), refetchInterval: LIVE_MS });
  const figure = (row: UsageRow, list: UsageList, metric: "responses" | "credits") => (
    <TurnsLink
      organizationId={organizationId}
      search={turnsBehind(row, list, {}, organizationId)?.search ?? {}}
      subject={nameOf(row, by)}
      count={row[metric]}
      format={metric === "credits" ? formatCredits : formatCount}
    />
  );
  return (
    <Section title={title}>
      <Loaded query={usage}>
        {(list) =>
          list.data.length === 0 ? (
            <Empty title="No usage yet">It appears here with the first response of the month.</Empty>
          ) : (
            <DataTable
              caption={title}
              rows={list.data.toSorted((one, other) => other.credits - one.credits).slice(0, TOP)}
              rowKey={(row) => idOf(row, by)}
              columns={[
                { title: by === "model" ? "Model" : "Key", cell: (row) => nameOf(row, by) },
                { title: "Responses", isNumber: true, cell: (row) => figure(row, list, "responses") },
                {
                  title: "Credits",
                  isNumber: true,
                  cell: (row) => (
                    <>
                      {figure(row, list, "credits")} <Dollars amount={row.credits} />
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
