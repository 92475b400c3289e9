// What an organization spends and has left, and the next steps of a new one.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Organization, UsageRow } from "../../api/client.ts";
import { budgetsQuery, keysQuery, LIVE_MS, organizationQuery, usageQuery } from "../../api/queries.ts";
import { Card } from "../../parts/card.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatCredits, utcDay, utcMonthStart } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { BudgetTable } from "../budgets/budget-table.tsx";
import { RunningNow } from "../running/running.tsx";
import { useOrganizationId } from "../use-organization-id.ts";

/** The days over which the rate of spending is measured. */
const RATE_DAYS = 7;
/** A longer forecast would say nothing. */
const DAYS_SHOWN_MAX = 3652;
/** Rows of the lists of the most expensive models and keys. */
const TOP = 5;

export function Overview() {
  const id = useOrganizationId();
  const { role } = useSession();
  const organization = useQuery({ ...organizationQuery(id), refetchInterval: LIVE_MS });
  const whose = mayManage(role) ? "of the organization" : "of your keys";
  return (
    <Screen
      title="Overview"
      about={`Spending ${whose}. Days and months are UTC; the figures are refreshed every 5 seconds.`}
    >
      <Loaded query={organization}>
        {(data) => (
          <>
            <div className="cards">
              <Balance organization={data} />
              <Spent id={id} title="Spent today" from={utcDay()} />
              <Spent id={id} title="Spent this month" from={utcMonthStart()} />
            </div>
            <NextSteps organization={data} />
          </>
        )}
      </Loaded>
      {mayManage(role) && <RunningNow id={id} />}
      {mayManage(role) && <BudgetsNow id={id} />}
      <MostExpensive id={id} by="model" title="Models this month" />
      <MostExpensive id={id} by="key" title="Keys this month" />
    </Screen>
  );
}

function Balance({ organization }: { organization: Organization }) {
  const { role } = useSession();
  const week = useQuery({
    ...usageQuery(organization.id, { from: utcDay(RATE_DAYS - 1), to: utcDay() }),
    refetchInterval: LIVE_MS,
  });
  const spent = week.data?.[0]?.credits ?? 0;
  const days = spent > 0 ? organization.credits / (spent / RATE_DAYS) : null;
  return (
    <Card title="Credits left" figure={formatCredits(organization.credits)}>
      {/* A member sees the usage of some keys only, which says nothing about the whole. */}
      {mayManage(role) && days !== null && (
        <div>
          {describeDays(days)} at the rate of the last {RATE_DAYS} days
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

function Spent({ id, title, from }: { id: string; title: string; from: string }) {
  const usage = useQuery({ ...usageQuery(id, { from, to: utcDay() }), refetchInterval: LIVE_MS });
  return (
    <Loaded query={usage}>
      {([total]) => (
        <Card title={title} figure={formatCredits(total?.credits ?? 0)}>
          {formatCount(total?.responses ?? 0)} {total?.responses === 1 ? "response" : "responses"},{" "}
          {formatCount((total?.input_tokens ?? 0) + (total?.output_tokens ?? 0))} tokens
        </Card>
      )}
    </Loaded>
  );
}

/** What a new organization still needs. */
function NextSteps({ organization }: { organization: Organization }) {
  const { role } = useSession();
  const { data: keys } = useQuery(keysQuery(organization.id));
  const { data: usage } = useQuery(usageQuery(organization.id, {}));
  const { data: budgets } = useQuery({ ...budgetsQuery(organization.id), enabled: mayManage(role) });
  const params = { organizationId: organization.id };
  const steps: ReactNode[] = [];
  if (!organization.plan || !organization.payment_method || organization.credits <= 0) {
    steps.push(
      <>
        It needs a plan, a payment method and credits before it is served
        {mayManage(role) && (
          <>
            :{" "}
            <TextLink to="/organizations/$organizationId/budgets" params={params}>
              budgets and credits
            </TextLink>
          </>
        )}
        .
      </>,
    );
  }
  if (keys?.every((key) => key.revoked_at !== null) === true && mayManage(role)) {
    steps.push(
      <>
        It has no key yet:{" "}
        <TextLink to="/organizations/$organizationId/keys" params={params}>
          create the first
        </TextLink>
        .
      </>,
    );
  }
  if (usage !== undefined && (usage[0]?.responses ?? 0) === 0) {
    steps.push(
      <>
        Nothing has been asked yet: <TextLink to="/playground">send the first request</TextLink>.
      </>,
    );
  }
  if (budgets?.length === 0) {
    steps.push(
      <>
        Only the balance limits what is spent:{" "}
        <TextLink to="/organizations/$organizationId/budgets" params={params}>
          set the first budget
        </TextLink>
        .
      </>,
    );
  }
  if (steps.length === 0) return null;
  return (
    <Empty title="Next steps">
      <ol>
        {steps.map((step, index) => (
          <li key={index}>{step}</li>
        ))}
      </ol>
    </Empty>
  );
}

function BudgetsNow({ id }: { id: string }) {
  const budgets = useQuery({ ...budgetsQuery(id), refetchInterval: LIVE_MS });
  return (
    <Section title="Budgets">
      <Loaded query={budgets}>
        {(data) =>
          data.length === 0 ? (
            <Empty title="No budget">Nothing but the balance limits what is spent.</Empty>
          ) : (
            <BudgetTable organizationId={id} budgets={data} />
          )
        }
      </Loaded>
    </Section>
  );
}

function MostExpensive({ id, by, title }: { id: string; by: "model" | "key"; title: string }) {
  const usage = useQuery({ ...usageQuery(id, { by, from: utcMonthStart(), to: utcDay() }), refetchInterval: LIVE_MS });
  return (
    <Section title={title}>
      <Loaded query={usage}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No usage yet">It appears here with the first response of the month.</Empty>
          ) : (
            <DataTable
              caption={title}
              rows={rows.toSorted((one, other) => other.credits - one.credits).slice(0, TOP)}
              rowKey={nameOf}
              columns={[
                { title: by === "model" ? "Model" : "Key", cell: nameOf },
                { title: "Responses", isNumber: true, cell: (row) => formatCount(row.responses) },
                { title: "Credits", isNumber: true, cell: (row) => formatCredits(row.credits) },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function nameOf(row: UsageRow): string {
  return row.model ?? row.name ?? row.key ?? "without a key";
}
