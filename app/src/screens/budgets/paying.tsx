// What pays for an organization's turns: credits, plan and payment method.
import { Button } from "@mantine/core";
import { useState } from "react";
import { api, inOrganization, type Organization, take } from "../../api/client.ts";
import { useChange } from "../../api/use-change.ts";
import { Card } from "../../parts/card.tsx";
import { CreditsField } from "../../parts/credits-field.tsx";
import { Confirm, FormDialog, useDialog } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Credits } from "../../parts/money.tsx";
import { say } from "../../parts/said.tsx";
import { Status } from "../../parts/status.tsx";
import { mayOwn } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";

/** Balance, plan and payment method, with what this role may change of them. */
export function Paying({ organization }: { organization: Organization }) {
  const { id, name, plan, payment_method: hasPaymentMethod } = organization;
  const path = inOrganization(id);
  return (
    <div className="cards">
      <Balance organization={organization} />
      <Requirement
        title="Plan"
        isMet={plan}
        states={["active", "none: new responses get 429"]}
        actions={["Stop the plan", "Start the plan"]}
        ending={{
          title: `Stop the plan of ${name}?`,
          consequence: `New responses of all its keys are rejected, and queued ones fail, until the plan is started again. ${KEPT}`,
        }}
        onChange={(on) =>
          take(
            on
              ? api.POST("/organizations/{organization_id}/plan", path)
              : api.DELETE("/organizations/{organization_id}/plan", path),
          )
        }
      />
      <Requirement
        title="Payment method"
        isMet={hasPaymentMethod}
        states={["on file", "none: new responses get 402"]}
        actions={["Remove the payment method", "Record a payment method"]}
        ending={{
          title: `Remove the payment method of ${name}?`,
          consequence: `Its plan stops too. New responses of all its keys are rejected, and queued ones fail, until both are set again. ${KEPT}`,
        }}
        onChange={(on) =>
          take(
            on
              ? api.POST("/organizations/{organization_id}/payment-method", path)
              : api.DELETE("/organizations/{organization_id}/payment-method", path),
          )
        }
      />
    </div>
  );
}

/** What goes on without a plan or a payment method. */
const KEPT = "Running responses finish, and everything stays readable.";

function Balance({ organization }: { organization: Organization }) {
  const { role } = useSession();
  const { open, dialog } = useDialog();
  return (
    <Card title="Credits left" figure={<Credits amount={organization.credits} hasUnit />}>
      {organization.held > 0 && (
        <div>
          <Credits amount={organization.held} hasUnit /> more are reserved for running responses
        </div>
      )}
      {role === "operator" ? (
        <Button size="xs" mt="xs" variant="default" onClick={() => open(<AddCredits organization={organization} />)}>
          Add credits
        </Button>
      ) : (
        "The operator adds credits."
      )}
      {dialog}
    </Card>
  );
}

/** Something without which new responses are rejected. Owners start it at once, and end it after a confirmation. */
function Requirement({
  title,
  isMet,
  states,
  actions,
  ending,
  onChange,
}: {
  title: string;
  isMet: boolean;
  /** What is said of it while it is met, and while it is not. */
  states: readonly [met: string, unmet: string];
  actions: readonly [end: string, start: string];
  ending: { readonly title: string; readonly consequence: string };
  onChange: (on: boolean) => Promise<unknown>;
}) {
  const { role } = useSession();
  const { open, dialog } = useDialog();
  const start = useChange(async () => {
    await onChange(true);
    say(`${title}: ${states[0]}.`);
  });
  const [endLabel, startLabel] = actions;
  const confirmEnd = () =>
    open(<Confirm {...ending} action={endLabel} said={`${title}: ${states[1]}.`} onConfirm={() => onChange(false)} />);
  return (
    <Card title={title}>
      <Status tone={isMet ? "good" : "bad"}>{isMet ? states[0] : states[1]}</Status>
      {mayOwn(role) && (
        <div>
          <Button size="xs" mt="xs" variant="default" onClick={() => (isMet ? confirmEnd() : start.mutate())}>
            {isMet ? endLabel : startLabel}
          </Button>
        </div>
      )}
      {start.error !== null && <ErrorNotice error={start.error} />}
      {dialog}
    </Card>
  );
}

function AddCredits({ organization }: { organization: Organization }) {
  const [amount, setAmount] = useState("");
  // One id for this dialog: a retry after a lost response adds nothing more.
  const [transactionId] = useState(() => `app_${crypto.getRandomValues(new Uint32Array(4)).join("")}`);
  const add = () => {
    const body = { amount: Number(amount), transaction_id: transactionId };
    return take(api.POST("/organizations/{organization_id}/credits", { ...inOrganization(organization.id), body }));
  };
  return (
    <FormDialog
      title={`Add credits to ${organization.name}`}
      action="Add the credits"
      said={`${organization.name} has ${amount} credits more.`}
      onSubmit={add}
    >
      <CreditsField label="Credits" required value={amount} onChange={setAmount} />
    </FormDialog>
  );
}
