// What the holder of an API key sees of it, with or without a session.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { KeyHolder } from "../../api/client.ts";
import { keyHolderQuery } from "../../api/queries.ts";
import { BaseUrl } from "../../parts/base-url.tsx";
import { Card } from "../../parts/card.tsx";
import { ACTIONS, type Column, DataTable } from "../../parts/data-table.tsx";
import { useDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatShare } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Credits, UsdPerCredit } from "../../parts/money.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Section } from "../../parts/screen.tsx";
import { Ago, Time } from "../../parts/time.tsx";
import { hasPeriod, PERIODS, periodOf, shareOf } from "../budgets/periods.ts";
import { describeKeyLimits } from "../policy/limits.ts";
import { Conversations } from "./conversations.tsx";
import { KeyScreen } from "./key-screen.tsx";
import { RequestIncrease } from "./request-increase.tsx";

/** Each refresh counts as one of the organization's reads. */
const REFRESH_MS = 30_000;

export function Key() {
  return (
    <KeyScreen
      title="Usage of a key"
      about="What an API key has used, and what is left. Days and months are UTC."
      other={{ name: "Playground", to: "/playground" }}
    >
      <Standing />
    </KeyScreen>
  );
}

function Standing() {
  const standing = useQuery({ ...keyHolderQuery, refetchInterval: REFRESH_MS });
  return (
    <Loaded query={standing}>
      {({ key, usage, budgets, allowances, open_streams: streams, turns, usd_per_credit: rate, base_url: baseUrl }) => (
        <UsdPerCredit value={rate}>
          <BaseUrl url={baseUrl} />
          <div className="cards">
            <Card title="Key" figure={key.name}>
              {PERMISSIONS[key.permissions]}
              <OwnLimits limits={describeKeyLimits(key.limits)} />
              {key.secret_valid_until !== null && (
                <div>
                  Replaced by a new secret: this one works until <Time at={key.secret_valid_until} />
                </div>
              )}
            </Card>
            <Used title="Spent today" usage={usage.today} />
            <Used title="Spent this month" usage={usage.month} />
          </div>
          <Section title="Budgets">
            <Budgets budgets={budgets} />
          </Section>
          <Conversations />
          <Section title="Requests a minute">
            <Text size="sm">
              The keys of an organization share them. A request that finds none left gets 429{" "}
              <code>rate_limit_exceeded</code>.
            </Text>
            <DataTable
              caption="Requests a minute"
              rows={allowances}
              rowKey={(row) => row.class}
              columns={[
                { title: "Requests", cell: (row) => CLASSES[row.class] },
                { title: "Used", isNumber: true, cell: (row) => formatCount(row.used) },
                { title: "Left", isNumber: true, cell: ({ remaining }) => formatCount(remaining) },
                { title: "Limit", isNumber: true, cell: (row) => formatCount(row.per_minute) },
              ]}
            />
            <Text size="sm">
              Open streams: {formatCount(streams.open)} of {formatCount(streams.max)}. Responses that run or are queued:{" "}
              {formatCount(turns.now)} of {formatCount(turns.max)}.
            </Text>
          </Section>
        </UsdPerCredit>
      )}
    </Loaded>
  );
}

function OwnLimits({ limits }: { limits: string }) {
  return limits === "" ? null : <div>Limits of its own: {limits}</div>;
}

const PERMISSIONS = { all: "may read and create", read: "may read", none: "has no permission" } as const;
const CLASSES = { create: "Create", retrieve: "Read", delete: "Delete and cancel" } as const;

function Used({ title, usage }: { title: string; usage: KeyHolder["usage"]["today"] }) {
  return (
    <Card title={title} figure={<Credits amount={usage.credits} hasUnit />}>
      {formatCount(usage.responses)} {usage.responses === 1 ? "response" : "responses"},{" "}
      {formatCount(usage.input_tokens + usage.output_tokens)} tokens
      {usage.cached_tokens > 0 && usage.cached_share !== null && (
        <div>
          {formatShare(usage.cached_share)} of the input came from a cache, which saved{" "}
          <Credits amount={usage.saved} hasUnit />
        </div>
      )}
    </Card>
  );
}

type KeyBudget = KeyHolder["budgets"][number];

const SCOPES = {
  response: "Each response",
  key: "This key",
  member: "The owner of this key",
  "organization-day": "The organization, each day",
  organization: "The organization",
} as const;

/** A budget in a sentence: its scope and, unless the scope says it, its period. */
function budgetName({ scope, period }: KeyBudget): string {
  return hasPeriod(scope) ? `${SCOPES[scope]}, ${PERIODS[period]}` : SCOPES[scope];
}

const ASKED_FOR: Column<KeyBudget> = {
  title: "Asked for",
  cell: ({ increase }) =>
    increase === undefined ? (
      ""
    ) : (
      <>
        <Credits amount={increase.amount} hasUnit /> more, <Ago at={increase.at} />
      </>
    ),
};

function Budgets({ budgets }: { budgets: readonly KeyBudget[] }) {
  const { open, dialog } = useDialog();
  if (budgets.length === 0)
    return <Empty title="No budget">Only the organization&apos;s balance limits this key.</Empty>;
  return (
    <>
      <DataTable
        caption="Budgets"
        rows={budgets}
        rowKey={({ scope, period }) => `${scope} ${period}`}
        columns={[
          { title: "Budget of", isWide: true, cell: ({ scope }) => SCOPES[scope] },
          { title: "Period", cell: periodOf },
          {
            title: "Used",
            cell: ({ scope, limit, left }) =>
              scope === "response" ? (
                "counted by itself"
              ) : (
                <Meter share={shareOf({ limit, spent: limit - left, held: 0 })} label={SCOPES[scope]} />
              ),
          },
          {
            title: "Left, credits",
            isNumber: true,
            cell: ({ left, held }) => (
              <>
                <Credits amount={left} />
                {held > 0 && (
                  <>
                    {" "}
                    (<Credits amount={held} /> reserved)
                  </>
                )}
              </>
            ),
          },
          { title: "Limit, credits", isNumber: true, cell: ({ limit }) => <Credits amount={limit} /> },
          { title: "Resets", cell: ({ resets_at: at }) => (at === null ? "never" : <Time at={at} />) },
          ...(budgets.some(({ increase }) => increase !== undefined) ? [ASKED_FOR] : []),
          {
            title: ACTIONS,
            cell: (budget) => (
              <RowActions
                subject={budgetName(budget)}
                nameOf={(label) => `${label}: ${budgetName(budget)}`}
                actions={{
                  "Ask for more": () => open(<RequestIncrease budget={budget} name={budgetName(budget)} />),
                }}
              />
            ),
          },
        ]}
      />
      {dialog}
    </>
  );
}
