// What holders of keys ask for beyond their budgets: granted by one click, or declined.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, type BudgetIncrease, inOrganization, take } from "../../api/client.ts";
import { increasesQuery, LIVE_MS } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { ACTIONS, DataTable } from "../../parts/data-table.tsx";
import { Confirm, useDialog } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Credits, useMoneyWords } from "../../parts/money.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { say } from "../../parts/said.tsx";
import { Section } from "../../parts/screen.tsx";
import { Ago, Time } from "../../parts/time.tsx";
import { useBudgetNames } from "./budget-names.ts";
import { periodOf } from "./periods.ts";

/** Shown only while somebody asks for something. */
export function Increases({ organizationId }: { organizationId: string }) {
  const { data: increases = [] } = useQuery({ ...increasesQuery(organizationId), refetchInterval: LIVE_MS });
  const { open, dialog } = useDialog();
  const nameOf = useBudgetNames(organizationId);
  const words = useMoneyWords();
  const grant = useChange(async ({ id: increaseId, amount, key_name: name }: BudgetIncrease) => {
    const init = { ...inOrganization(organizationId, { increase_id: increaseId }), body: { amount } };
    await take(api.POST("/organizations/{organization_id}/budget-increases/{increase_id}/grant", init));
    say(`${name} has ${words(amount)} more.`);
  });
  if (increases.length === 0 && grant.error === null) return null;
  return (
    <Section title="Requests for more">
      <Text size="sm">
        From holders of keys. A grant raises the budget until its period ends; a budget without periods gets a higher
        limit.
      </Text>
      {grant.error !== null && <ErrorNotice error={grant.error} />}
      <DataTable
        caption="Requests for more"
        rows={increases}
        rowKey={(increase) => increase.id}
        columns={[
          { title: "Key", cell: ({ key_name: name }) => name },
          { title: "Budget of", isWide: true, cell: ({ budget }) => nameOf(budget) },
          { title: "Period", cell: ({ budget }) => periodOf(budget) },
          { title: "More, credits", isNumber: true, cell: ({ amount }) => <Credits amount={amount} /> },
          { title: "Until", cell: ({ until }) => (until === null ? "for good" : <Time at={until} />) },
          { title: "Asked", cell: ({ at }) => <Ago at={at} /> },
          {
            title: ACTIONS,
            cell: (increase) => (
              <RowActions
                subject={`the request of ${increase.key_name}`}
                actions={{ Decline: () => open(<Decline organizationId={organizationId} increase={increase} />) }}
              >
                <BusyButton
                  size="compact-sm"
                  aria-label={`Grant ${words(increase.amount)} to ${increase.key_name}`}
                  isBusy={grant.isPending && grant.variables.id === increase.id}
                  onClick={() => grant.mutate(increase)}
                >
                  Grant
                </BusyButton>
              </RowActions>
            ),
          },
        ]}
      />
      {dialog}
    </Section>
  );
}

function Decline({ organizationId, increase }: { organizationId: string; increase: BudgetIncrease }) {
  const words = useMoneyWords();
  const decline = () => {
    const init = inOrganization(organizationId, { increase_id: increase.id });
    return take(api.POST("/organizations/{organization_id}/budget-increases/{increase_id}/decline", init));
  };
  return (
    <Confirm
      title={`Decline the request of ${increase.key_name}?`}
      consequence={`The further ${words(increase.amount)} are not granted. The key can ask again.`}
      action="Decline the request"
      said={`The request of ${increase.key_name} is declined.`}
      onConfirm={decline}
    />
  );
}
