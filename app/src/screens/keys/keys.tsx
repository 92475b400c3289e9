// The API keys: creating, rotating and revoking them, and their budgets.
import { Button, Checkbox, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Budget, Key } from "../../api/client.ts";
import { budgetsQuery, keysQuery, membersQuery, usageQuery } from "../../api/queries.ts";
import { BaseUrl } from "../../parts/base-url.tsx";
import { Countdown } from "../../parts/countdown.tsx";
import { ACTIONS, type Column } from "../../parts/data-table.tsx";
import { dayIn, monthStartIn } from "../../parts/days.ts";
import { useDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Id } from "../../parts/id.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { formatCount, formatCredits } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Meter } from "../../parts/meter.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { Ago } from "../../parts/time.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { limitNow, PERIODS, shareOf } from "../budgets/periods.ts";
import { SetBudget } from "../budgets/set-budget.tsx";
import { useOrganizationId } from "../use-organization-id.ts";
import { describeKeyLimits } from "../policy/limits.ts";
import { TurnsLink } from "../turns/turns-link.tsx";
import { WhomToAsk } from "../whom-to-ask.tsx";
import { CreateKey, RevokeKey, RotateKey } from "./key-dialogs.tsx";
import { KeyLimits } from "./key-limits.tsx";
import { type CreatedSecret, NewSecret } from "./new-secret.tsx";
import { Credits, Dollars } from "../../parts/money.tsx";

const KEYS_MS = 30_000;

export function Keys() {
  const organizationId = useOrganizationId();
  const { role, base_url: baseUrl } = useSession();
  const manages = mayManage(role);
  // Somebody else may rotate a key, and a grace ends by the service's clock.
  const keys = useQuery({ ...keysQuery(organizationId), refetchInterval: KEYS_MS });
  const { open, dialog } = useDialog();
  const [withRevoked, setWithRevoked] = useState(false);
  const showSecret = (created: CreatedSecret) => open(<NewSecret created={created} />);
  const actionsOf = (key: Key) =>
    key.revoked_at === null && (
      <RowActions
        subject={key.name}
        actions={{
          Budget: () =>
            open(<SetBudget organizationId={organizationId} initial={{ scope: "key", id: key.id, period: "month" }} />),
          Limits: () => open(<KeyLimits organizationId={organizationId} apiKey={key} />),
          Rotate: () => open(<RotateKey organizationId={organizationId} apiKey={key} onCreated={showSecret} />),
        }}
        dangerous={{ Revoke: () => open(<RevokeKey organizationId={organizationId} apiKey={key} />) }}
      />
    );
  return (
    <Screen
      title="Keys"
      about={
        manages ? (
          "Usage is of this month, UTC."
        ) : (
          <>
            Your keys. <WhomToAsk organizationId={organizationId} forWhat="to create, rotate or revoke one" />
          </>
        )
      }
      actions={
        <>
          <BaseUrl url={baseUrl} />
          {manages && (
            <Button onClick={() => open(<CreateKey organizationId={organizationId} onCreated={showSecret} />)}>
              Create a key
            </Button>
          )}
        </>
      }
    >
      <Loaded query={keys}>
        {(data) => {
          const rows = data.filter((key) => withRevoked || key.revoked_at === null);
          return (
            <>
              {data.some((key) => key.revoked_at !== null) && (
                <Checkbox
                  label="Show revoked keys"
                  checked={withRevoked}
                  onChange={({ currentTarget }) => setWithRevoked(currentTarget.checked)}
                />
              )}
              {rows.length === 0 ? (
                <Empty title={data.length === 0 ? "No key yet" : "No key works now"}>
                  {manages
                    ? data.length === 0
                      ? "Create the first one: its secret is shown once."
                      : "All are revoked. Create another one."
                    : "It appears here when you have one."}
                </Empty>
              ) : (
                <KeyTable organizationId={organizationId} keys={rows} actionsOf={actionsOf} />
              )}
            </>
          );
        }}
      </Loaded>
      {dialog}
    </Screen>
  );
}

function KeyTable({
  organizationId,
  keys,
  actionsOf,
}: {
  organizationId: string;
  keys: readonly Key[];
  actionsOf: (key: Key) => ReactNode;
}) {
  const { role } = useSession();
  const manages = mayManage(role);
  const { data: members = [] } = useQuery(membersQuery(organizationId));
  const { data: usage } = useQuery(
    usageQuery(organizationId, { by: "key", from: monthStartIn("UTC"), to: dayIn("UTC") }),
  );
  const { data: budgets = [] } = useQuery({ ...budgetsQuery(organizationId), enabled: manages });
  const usageOf = (key: Key) => usage?.data.find((row) => row.key === key.id);
  const formats = {
    responses: formatCount,
    credits: formatCredits,
  };
  const turnsOf = (key: Key, figure: "responses" | "credits") => (
    <TurnsLink
      organizationId={organizationId}
      search={{ key: key.id, from: `${monthStartIn("UTC")}T00:00Z` }}
      subject={key.name}
      count={usageOf(key)?.[figure] ?? 0}
      format={formats[figure]}
    />
  );
  const ownerOf = ({ member }: Key) =>
    member === null ? "" : (members.find((one) => one.id === member)?.email ?? member);
  const columns: Column<Key>[] = [
    { title: "Name", isWide: true, value: ({ name }) => name, cell: ({ name }) => name },
    {
      title: "Belongs to",
      value: ownerOf,
      cell: (key) =>
        key.member === null ? (
          <Text span c="dimmed" inherit>
            nobody
          </Text>
        ) : (
          ownerOf(key)
        ),
    },
    { title: "State", value: stateOf, cell: (key) => <State apiKey={key} /> },
    {
      title: "Created",
      isOptional: true,
      isMinor: true,
      value: ({ created }) => created,
      cell: ({ created }) => <Ago at={created} />,
    },
    {
      title: "Key id",
      isOptional: true,
      isMinor: true,
      value: ({ id: of }) => of,
      cell: ({ id: of }) => <Id id={of} />,
    },
    {
      title: "Last used",
      value: ({ last_used_at: at }) => at,
      cell: ({ last_used_at: at }) => (at === null ? "never" : <Ago at={at} />),
    },
    {
      title: "Responses",
      isNumber: true,
      value: (key) => usageOf(key)?.responses ?? 0,
      cell: (key) => turnsOf(key, "responses"),
    },
    {
      title: "Credits",
      isNumber: true,
      value: (key) => usageOf(key)?.credits ?? 0,
      cell: (key) => (
        <>
          {turnsOf(key, "credits")} <Dollars amount={usageOf(key)?.credits ?? 0} />
        </>
      ),
    },
    {
      title: "Limits",
      isOptional: true,
      isMinor: true,
      isSentence: true,
      value: (key) => describeKeyLimits(key.limits),
      cell: (key) => describeKeyLimits(key.limits),
    },
  ];
  if (manages) {
    const budgetsOf = (key: Key) => budgets.filter((budget) => budget.scope === "key" && budget.id === key.id);
    columns.push({
      title: "Budget",
      value: (key) => {
        const budget = tightest(budgetsOf(key));
        return budget && shareOf(budget);
      },
      cell: (key) => <OfBudget name={key.name} budgets={budgetsOf(key)} />,
    });
    columns.push({ title: ACTIONS, cell: actionsOf });
  }
  return <ListTable caption="Keys" find="Find a key" rows={keys} rowKey={(key) => key.id} columns={columns} />;
}

const PERMISSIONS = { all: "active", read: "reads only", none: "may do nothing" } as const;

function stateOf({ revoked_at: revokedAt, old_secret_valid_until: oldUntil, permissions }: Key): string {
  if (revokedAt !== null) return "revoked";
  return oldUntil === null ? PERMISSIONS[permissions] : "rotating";
}

function State({ apiKey: key }: { apiKey: Key }) {
  const state = stateOf(key);
  const { old_secret_valid_until: oldUntil } = key;
  if (state === "revoked") return <Status tone="bad">revoked</Status>;
  if (state !== "rotating" || oldUntil === null) {
    return <Status tone={key.permissions === "none" ? "warn" : "good"}>{state}</Status>;
  }
  return (
    <Status tone="warn">
      old secret: <Countdown until={oldUntil} />
    </Status>
  );
}

/** The budget of which the largest share is used. */
const tightest = (budgets: readonly Budget[]): Budget | null =>
  budgets.toSorted((one, other) => shareOf(other) - shareOf(one))[0] ?? null;

/** The budget of a key as a bar; of several the one that is used up first. */
function OfBudget({ name, budgets }: { name: string; budgets: readonly Budget[] }) {
  const budget = tightest(budgets);
  if (budget === null)
    return (
      <Text span c="dimmed" inherit>
        none
      </Text>
    );
  return (
    <span className="of-row">
      <Meter share={shareOf(budget)} label={`Budget of ${name}`} />
      <span>
        <Credits amount={budget.spent} /> of <Credits amount={limitNow(budget)} /> {PERIODS[budget.period]}
        {budgets.length > 1 && `, +${budgets.length - 1}`}
      </span>
    </span>
  );
}
