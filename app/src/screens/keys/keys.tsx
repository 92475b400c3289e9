// The API keys: creating, rotating and revoking them, and their budgets.
import { Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Key } from "../../api/client.ts";
import { budgetsQuery, keysQuery, membersQuery, usageQuery } from "../../api/queries.ts";
import { Countdown } from "../../parts/countdown.tsx";
import { Breakable } from "../../parts/breakable.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { dayIn, monthStartIn } from "../../parts/days.ts";
import { useDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatCredits } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Meter } from "../../parts/meter.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { Ago } from "../../parts/time.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { limitNow } from "../budgets/budget-table.tsx";
import { SetBudget } from "../budgets/set-budget.tsx";
import { useOrganizationId } from "../use-organization-id.ts";
import { TurnsLink } from "../turns/turns-link.tsx";
import { WhomToAsk } from "../whom-to-ask.tsx";
import { CreateKey, RevokeKey, RotateKey } from "./key-dialogs.tsx";
import { type CreatedSecret, NewSecret } from "./new-secret.tsx";
import { Credits, Dollars } from "../../parts/money.tsx";

const KEYS_MS = 30_000;

export function Keys() {
  const id = useOrganizationId();
  const { role } = useSession();
  const manages = mayManage(role);
  // Somebody else may rotate a key, and a grace ends by the service's clock.
  const keys = useQuery({ ...keysQuery(id), refetchInterval: KEYS_MS });
  const { open, dialog } = useDialog();
  const [withRevoked, setWithRevoked] = useState(false);
  const showSecret = (created: CreatedSecret) => open(<NewSecret created={created} />);
  const actionsOf = (key: Key) =>
    key.revoked_at === null && (
      <RowActions
        nameOf={(label) => `${label} ${key.name}`}
        actions={{
          Budget: () => open(<SetBudget id={id} given={{ scope: "key", id: key.id, period: "month" }} />),
          Rotate: () => open(<RotateKey id={id} of={key} onCreated={showSecret} />),
          Revoke: () => open(<RevokeKey id={id} of={key} />),
        }}
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
            Your keys. <WhomToAsk id={id} forWhat="to create, rotate or revoke one" />
          </>
        )
      }
      actions={
        manages && <Button onClick={() => open(<CreateKey id={id} onCreated={showSecret} />)}>Create a key</Button>
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
                <Empty title="No key yet">
                  {manages ? "Create the first one: its secret is shown once." : "It appears here when you have one."}
                </Empty>
              ) : (
                <KeyTable id={id} keys={rows} actionsOf={actionsOf} />
              )}
            </>
          );
        }}
      </Loaded>
      {dialog}
    </Screen>
  );
}

function KeyTable({ id, keys, actionsOf }: { id: string; keys: readonly Key[]; actionsOf: (key: Key) => ReactNode }) {
  const { role } = useSession();
  const manages = mayManage(role);
  const { data: members = [] } = useQuery(membersQuery(id));
  const { data: usage } = useQuery(usageQuery(id, { by: "key", from: monthStartIn("UTC"), to: dayIn("UTC") }));
  const { data: budgets = [] } = useQuery({ ...budgetsQuery(id), enabled: manages });
  const usageOf = (key: Key) => usage?.data.find((row) => row.key === key.id);
  const formats = {
    responses: formatCount,
    credits: formatCredits,
  };
  const turnsOf = (key: Key, figure: "responses" | "credits") => (
    <TurnsLink
      id={id}
      search={{ key: key.id, from: `${monthStartIn("UTC")}T00:00Z` }}
      of={key.name}
      count={usageOf(key)?.[figure] ?? 0}
      format={formats[figure]}
    />
  );
  const columns: Column<Key>[] = [
    { title: "Name", cell: ({ name }) => name },
    {
      title: "Belongs to",
      cell: ({ member }) =>
        member === null ? "no member" : <Breakable text={members.find((one) => one.id === member)?.email ?? member} />,
    },
    {
      title: "State",
      cell: ({ revoked_at: revokedAt, permissions, old_secret_valid_until: oldUntil }) =>
        revokedAt !== null ? (
          <Status tone="bad">revoked</Status>
        ) : (
          <>
            <Status tone={permissions === "none" ? "warn" : "good"}>
              {{ all: "all operations", read: "reading only", none: "nothing" }[permissions]}
            </Status>
            {oldUntil !== null && (
              <div>
                old secret: <Countdown until={oldUntil} />
              </div>
            )}
          </>
        ),
    },
    {
      title: "Created, last used",
      isWide: true,
      cell: ({ created, last_used_at: at }) => (
        <>
          <div>
            <Ago at={created} />
          </div>
          {at === null ? "never" : <Ago at={at} />}
        </>
      ),
    },
    { title: "Responses", isNumber: true, cell: (key) => turnsOf(key, "responses") },
    {
      title: "Credits",
      isNumber: true,
      cell: (key) => (
        <>
          {turnsOf(key, "credits")} <Dollars amount={usageOf(key)?.credits ?? 0} />
        </>
      ),
    },
  ];
  if (manages) {
    columns.push({
      title: "Budgets",
      cell: (key) => {
        const own = budgets.filter((budget) => budget.scope === "key" && budget.id === key.id);
        if (own.length === 0) return "none";
        return own.map((budget) => (
          <div key={budget.period}>
            {formatCredits(budget.spent)} of <Credits amount={limitNow(budget)} hasUnit /> ({budget.period})
            <Meter value={budget.spent + budget.held} max={limitNow(budget)} label={`Budget of ${key.name}`} />
          </div>
        ));
      },
    });
    columns.push({ title: "Actions", cell: actionsOf });
  }
  return <DataTable caption="Keys" rows={keys} rowKey={(key) => key.id} columns={columns} />;
}
