// All organizations, for the operator.
import { Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, inOrganization, type Organization, type Spending, take } from "../../api/client.ts";
import { spendingQuery } from "../../api/operator-queries.ts";
import { organizationsQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { CreditsField } from "../../parts/credits-field.tsx";
import { ACTIONS } from "../../parts/data-table.tsx";
import { Confirm, FormDialog, useDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { TextField } from "../../parts/fields.tsx";
import { TextLink } from "../../parts/link.tsx";
import { Id } from "../../parts/id.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { say } from "../../parts/said.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { Ago } from "../../parts/time.tsx";
import { Credits } from "../../parts/money.tsx";
import { AllBudgets } from "./all-budgets.tsx";

const SPENDING_MS = 30_000;

/** Why turns of an organization are rejected. */
const BLOCKS = {
  suspended: "suspended",
  no_payment_method: "no payment method",
  no_plan: "no plan",
  no_credits: "no credits",
  budget_used_up: "a budget used up",
} as const;

export function Organizations() {
  const organizations = useQuery(organizationsQuery);
  const spending = useQuery({ ...spendingQuery, refetchInterval: SPENDING_MS });
  const spendingOf = new Map(spending.data?.map((each) => [each.organization, each]));
  const [blockedOnly, setBlockedOnly] = useState(false);
  const { open, dialog } = useDialog();
  const resume = useChange(async ({ id, name }: Organization) => {
    await take(api.POST("/organizations/{organization_id}/resume", inOrganization(id)));
    say(`${name} is served again.`);
  });
  const stateOf = ({ id, suspended }: Organization) => {
    if (suspended === true) return "suspended";
    const blocks = spendingOf.get(id)?.blocked_by.map((block) => BLOCKS[block]);
    if (blocks === undefined) return "–";
    return blocks.length === 0 ? "served" : `blocked: ${blocks.join(", ")}`;
  };
  const isBlocked = ({ id, suspended }: Organization) =>
    suspended === true || (spendingOf.get(id)?.blocked_by.length ?? 0) > 0;
  const actionsOf = (organization: Organization) => (
    <RowActions
      subject={organization.name}
      actions={{
        Rename: () => open(<RenameOrganization organization={organization} />),
        ...(organization.suspended === true ? { Resume: () => resume.mutate(organization) } : {}),
      }}
      dangerous={
        organization.suspended === true
          ? {}
          : { Suspend: () => open(<SuspendOrganization organization={organization} />) }
      }
    />
  );
  return (
    <Screen
      title="Organizations"
      actions={<Button onClick={() => open(<CreateOrganization />)}>Create an organization</Button>}
    >
      {resume.error !== null && <ErrorNotice error={resume.error} />}
      <Checkbox
        label="Only organizations whose requests are rejected"
        checked={blockedOnly}
        onChange={({ currentTarget }) => setBlockedOnly(currentTarget.checked)}
      />
      <Loaded
        query={organizations}
        empty={<Empty title="No organization yet">Create the first one: keys, members and credits belong to it.</Empty>}
      >
        {(data) => (
          <ListTable
            caption="Organizations"
            find="Find an organization"
            rows={blockedOnly ? data.filter(isBlocked) : data}
            rowKey={(organization) => organization.id}
            columns={[
              {
                title: "Name",
                isWide: true,
                value: ({ name }) => name,
                cell: ({ id, name }) => (
                  <TextLink to="/organizations/$organizationId/overview" params={{ organizationId: id }}>
                    {name}
                  </TextLink>
                ),
              },
              {
                title: "State",
                value: stateOf,
                cell: (organization) => {
                  const state = stateOf(organization);
                  const tone = state === "served" ? "good" : state === "suspended" ? "bad" : "warn";
                  return state === "–" ? state : <Status tone={tone}>{state}</Status>;
                },
              },
              {
                title: "Last rejected",
                value: ({ id }) => spendingOf.get(id)?.last_rejection?.code ?? null,
                cell: ({ id }) => <LastRejection organizationId={id} spending={spendingOf.get(id)} />,
              },
              {
                title: "When",
                isMinor: true,
                cell: ({ id }) => {
                  const at = spendingOf.get(id)?.last_rejection?.at;
                  return at !== undefined && <Ago at={at} />;
                },
              },
              { title: "Id", isOptional: true, isMinor: true, cell: ({ id }) => <Id id={id} /> },
              { title: "Plan", isOptional: true, isMinor: true, cell: ({ plan }) => (plan ? "active" : "none") },
              {
                title: "Payment method",
                isOptional: true,
                isMinor: true,
                cell: (organization) => (organization.payment_method ? "on file" : "none"),
              },
              {
                title: "Credits",
                isNumber: true,
                value: ({ credits }) => credits,
                cell: ({ credits }) => <Credits amount={credits} />,
              },
              { title: ACTIONS, cell: actionsOf },
            ]}
          />
        )}
      </Loaded>
      <Section title="All budgets">
        <Loaded query={spending}>{(data) => <AllBudgets spending={data} />}</Loaded>
      </Section>
      {dialog}
    </Screen>
  );
}

/** The newest rejected request that is kept, which leads to its explanation. */
function LastRejection({ organizationId, spending }: { organizationId: string; spending: Spending | undefined }) {
  if (spending === undefined) return "–";
  const { last_rejection: last } = spending;
  if (last === null) return "";
  return (
    <TextLink
      to="/organizations/$organizationId/errors"
      params={{ organizationId }}
      search={{ request: last.request_id }}
    >
      {last.code}
    </TextLink>
  );
}

function CreateOrganization() {
  const [name, setName] = useState("");
  const [credits, setCredits] = useState("");
  const create = () => {
    const body = { name, ...(credits === "" ? {} : { credits: Number(credits) }) };
    return take(api.POST("/organizations", { body }));
  };
  return (
    <FormDialog
      title="Create an organization"
      action="Create the organization"
      said={`${name} is created.`}
      onSubmit={create}
    >
      <TextField label="Name" required data-autofocus value={name} onChange={setName} />
      <CreditsField
        label="Credits"
        description="With credits it also gets a plan and a payment method, and can send requests at once"
        value={credits}
        onChange={setCredits}
      />
    </FormDialog>
  );
}

function RenameOrganization({ organization }: { organization: Organization }) {
  const [name, setName] = useState(organization.name);
  const rename = () =>
    take(api.POST("/organizations/{organization_id}", { ...inOrganization(organization.id), body: { name } }));
  return (
    <FormDialog
      title={`Rename ${organization.name}`}
      action="Rename"
      said={`${organization.name} is called ${name} now.`}
      onSubmit={rename}
    >
      <TextField label="Name" required data-autofocus value={name} onChange={setName} />
    </FormDialog>
  );
}

function SuspendOrganization({ organization: { id, name } }: { organization: Organization }) {
  return (
    <Confirm
      title={`Suspend ${name}?`}
      consequence={`Requests with the keys of ${name} get 403 until it is resumed. Its members can still manage it.`}
      action="Suspend"
      said={`${name} is suspended.`}
      onConfirm={() => take(api.POST("/organizations/{organization_id}/suspend", inOrganization(id)))}
    />
  );
}
