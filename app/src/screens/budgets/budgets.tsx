// Budgets, credits, plan and payment method.
import { Button, NativeSelect, Paper, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Budget, type Organization, take } from "../../api/client.ts";
import { budgetsQuery, keysQuery, membersQuery, organizationQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { Confirm, FormDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCredits } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { mayOwn } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { BudgetTable, PERIODS } from "./budget-table.tsx";
import { ClearBudget } from "./clear-budget.tsx";
import { RaiseBudget } from "./raise-budget.tsx";
import { Transfers } from "./transfers.tsx";

type Scope = Budget["scope"];
type Period = Budget["period"];

const SCOPES: Readonly<Record<Scope, string>> = {
  organization: "the organization",
  "organization-day": "a day of the organization",
  member: "a member",
  key: "a key",
  response: "each response",
};

export function Budgets() {
  const id = useOrganizationId();
  const organization = useQuery(organizationQuery(id));
  const budgets = useQuery(budgetsQuery(id));
  const [isSetting, setSetting] = useState(false);
  const [clearing, setClearing] = useState<Budget | null>(null);
  const [raising, setRaising] = useState<Budget | null>(null);
  const [changing, setChanging] = useState<Budget | null>(null);
  return (
    <Screen title="Budgets and credits">
      <Loaded query={organization}>{(data) => <Paying organization={data} />}</Loaded>
      <Section title="Budgets" actions={<Button onClick={() => setSetting(true)}>Set a budget</Button>}>
        <Text size="sm">
          A budget limits what is spent in its period. A request that begins when it is used up, or reserved by running
          turns, gets 429 <code>scope_budget_exceeded</code> and costs nothing. A turn that reaches the limit while it
          runs fails there: it keeps its output so far and is charged for that, never for more than the limit.
        </Text>
        <Loaded query={budgets}>
          {(data) =>
            data.length === 0 ? (
              <Empty title="No budget">Nothing but the balance limits what is spent. Set the first budget above.</Empty>
            ) : (
              <BudgetTable
                organizationId={id}
                budgets={data}
                actions={(budget) => (
                  <div className="row-actions">
                    <Button size="xs" variant="default" onClick={() => setChanging(budget)}>
                      Change
                    </Button>
                    <Button size="xs" variant="default" onClick={() => setRaising(budget)}>
                      Raise
                    </Button>
                    <Button size="xs" variant="default" onClick={() => setClearing(budget)}>
                      Remove
                    </Button>
                  </div>
                )}
              />
            )
          }
        </Loaded>
      </Section>
      <Transfers id={id} />
      {isSetting && <SetBudget id={id} onClose={() => setSetting(false)} />}
      {changing !== null && <SetBudget id={id} given={changing} onClose={() => setChanging(null)} />}
      {raising !== null && <RaiseBudget id={id} budget={raising} onClose={() => setRaising(null)} />}
      {clearing !== null && <ClearBudget id={id} budget={clearing} onClose={() => setClearing(null)} />}
    </Screen>
  );
}

/** Sets a budget; with `given`, a new limit for that one. */
export function SetBudget({
  id,
  given,
  onClose,
}: {
  id: string;
  given?: Pick<Budget, "scope" | "id" | "period"> & { limit?: number };
  onClose: () => void;
}) {
  const [scope, setScope] = useState<Scope>(given?.scope ?? "organization");
  const [of, setOf] = useState(given?.id ?? "");
  const [period, setPeriod] = useState<Period>(given?.period ?? "month");
  const [limit, setLimit] = useState(given?.limit === undefined ? "" : String(given.limit));
  const { data: keys = [] } = useQuery(keysQuery(id));
  const { data: members = [] } = useQuery(membersQuery(id));
  const change = useChange(
    (body: { scope: Scope; id?: string; period?: Period; limit: number }) =>
      take(api.POST("/organizations/{organization_id}/budgets", { params: { path: { organization_id: id } }, body })),
    onClose,
  );
  const options = {
    member: members.map(({ id: value, email }) => ({ value, label: email })),
    key: keys.filter((key) => key.revoked_at === null).map(({ id: value, name }) => ({ value, label: name })),
  };
  const choices = scope === "member" || scope === "key" ? options[scope] : null;
  const hasPeriod = scope !== "organization-day" && scope !== "response";
  const chosen = choices === null ? null : of === "" ? (choices[0]?.value ?? "") : of;
  const submit = () =>
    change.mutateAsync({
      scope,
      ...(chosen === null ? {} : { id: chosen }),
      ...(hasPeriod ? { period } : {}),
      limit: Number(limit),
    });
  return (
    <FormDialog title="Set a budget" action="Set the budget" onSubmit={submit} onClose={onClose}>
      <NativeSelect
        label="Limits what is spent by"
        disabled={given !== undefined}
        value={scope}
        data={Object.entries(SCOPES).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget }) => {
          setScope(currentTarget.value as Scope);
          setOf("");
        }}
      />
      {choices !== null && (
        <NativeSelect
          label={scope === "key" ? "Key" : "Member"}
          disabled={given !== undefined}
          value={chosen ?? ""}
          data={choices}
          onChange={({ currentTarget }) => setOf(currentTarget.value)}
        />
      )}
      {hasPeriod && (
        <NativeSelect
          label="Period (UTC)"
          disabled={given !== undefined}
          value={period}
          data={Object.entries(PERIODS).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget }) => setPeriod(currentTarget.value as Period)}
        />
      )}
      <TextInput
        label="Limit, credits"
        type="number"
        min={0}
        step="any"
        required
        value={limit}
        onChange={({ currentTarget }) => setLimit(currentTarget.value)}
      />
    </FormDialog>
  );
}

/** Balance, plan and payment method, with what this role may change of them. */
function Paying({ organization }: { organization: Organization }) {
  const { role } = useSession();
  const { id, name, plan, payment_method: hasPaymentMethod, credits } = organization;
  const [dialog, setDialog] = useState<"plan" | "payment-method" | "credits" | null>(null);
  const path = { params: { path: { organization_id: id } } };
  const setPlan = useChange((on: boolean) =>
    take(
      on
        ? api.POST("/organizations/{organization_id}/plan", path)
        : api.DELETE("/organizations/{organization_id}/plan", path),
    ),
  );
  const setPaymentMethod = useChange((on: boolean) =>
    take(
      on
        ? api.POST("/organizations/{organization_id}/payment-method", path)
        : api.DELETE("/organizations/{organization_id}/payment-method", path),
    ),
  );
  const close = () => setDialog(null);
  return (
    <div className="cards">
      <Paper withBorder p="md">
        <Text size="sm" c="dimmed">
          Credits left
        </Text>
        <div className="figure">{formatCredits(credits)}</div>
        {role === "operator" ? (
          <Button size="xs" mt="xs" variant="default" onClick={() => setDialog("credits")}>
            Add credits
          </Button>
        ) : (
          <Text size="sm">The operator adds credits.</Text>
        )}
      </Paper>
      <Paper withBorder p="md">
        <Text size="sm" c="dimmed">
          Plan
        </Text>
        <Status tone={plan ? "good" : "bad"}>{plan ? "active" : "none: requests get 429"}</Status>
        {mayOwn(role) && (
          <div>
            <Button
              size="xs"
              mt="xs"
              variant="default"
              onClick={() => (plan ? setDialog("plan") : setPlan.mutate(true))}
            >
              {plan ? "Stop the plan" : "Start the plan"}
            </Button>
          </div>
        )}
      </Paper>
      <Paper withBorder p="md">
        <Text size="sm" c="dimmed">
          Payment method
        </Text>
        <Status tone={hasPaymentMethod ? "good" : "bad"}>
          {hasPaymentMethod ? "on file" : "none: requests get 402"}
        </Status>
        {mayOwn(role) && (
          <div>
            <Button
              size="xs"
              mt="xs"
              variant="default"
              onClick={() => (hasPaymentMethod ? setDialog("payment-method") : setPaymentMethod.mutate(true))}
            >
              {hasPaymentMethod ? "Remove the payment method" : "Record a payment method"}
            </Button>
          </div>
        )}
      </Paper>
      {dialog === "plan" && (
        <Confirm
          title={`Stop the plan of ${name}?`}
          consequence="Requests of all its keys are rejected from then on, until the plan is started again."
          action="Stop the plan"
          onConfirm={() => setPlan.mutateAsync(false)}
          onClose={close}
        />
      )}
      {dialog === "payment-method" && (
        <Confirm
          title={`Remove the payment method of ${name}?`}
          consequence="Requests of all its keys are rejected from then on, until a payment method is on file again."
          action="Remove the payment method"
          onConfirm={() => setPaymentMethod.mutateAsync(false)}
          onClose={close}
        />
      )}
      {dialog === "credits" && <AddCredits organization={organization} onClose={close} />}
    </div>
  );
}

function AddCredits({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const [amount, setAmount] = useState("");
  // One id for this dialog: a retry after a lost response adds nothing more.
  const [transactionId] = useState(() => `app_${crypto.getRandomValues(new Uint32Array(4)).join("")}`);
  const change = useChange(() => {
    const body = { amount: Number(amount), transaction_id: transactionId };
    const params = { path: { organization_id: organization.id } };
    return take(api.POST("/organizations/{organization_id}/credits", { params, body }));
  }, onClose);
  return (
    <FormDialog
      title={`Add credits to ${organization.name}`}
      action="Add the credits"
      onSubmit={() => change.mutateAsync(undefined)}
      onClose={onClose}
    >
      <TextInput
        label="Credits"
        type="number"
        min={0}
        step="any"
        required
        value={amount}
        onChange={({ currentTarget }) => setAmount(currentTarget.value)}
      />
    </FormDialog>
  );
}
