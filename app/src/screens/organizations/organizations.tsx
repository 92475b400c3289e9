// All organizations, for the operator.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, inOrganization, type Organization, take } from "../../api/client.ts";
import { organizationsQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Confirm, FormDialog, useDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { TextField } from "../../parts/fields.tsx";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { Credits } from "../../parts/money.tsx";

export function Organizations() {
  const organizations = useQuery(organizationsQuery);
  const { open, dialog } = useDialog();
  const resume = useChange(({ id }: Organization) =>
    take(api.POST("/organizations/{organization_id}/resume", inOrganization(id))),
  );
  const actionsOf = (organization: Organization) => (
    <RowActions
      nameOf={(label) => `${label} ${organization.name}`}
      actions={{
        Rename: () => open(<RenameOrganization organization={organization} />),
        ...(organization.suspended === true
          ? { Resume: () => resume.mutate(organization) }
          : { Suspend: () => open(<SuspendOrganization organization={organization} />) }),
      }}
    />
  );
  return (
    <Screen
      title="Organizations"
      actions={<Button onClick={() => open(<CreateOrganization />)}>Create an organization</Button>}
    >
      {resume.error !== null && <ErrorNotice error={resume.error} />}
      <Loaded
        query={organizations}
        empty={<Empty title="No organization yet">Create the first one: keys, members and credits belong to it.</Empty>}
      >
        {(data) => (
          <DataTable
            caption="Organizations"
            rows={data}
            rowKey={(organization) => organization.id}
            columns={[
              {
                title: "Name",
                cell: ({ id, name }) => (
                  <TextLink to="/organizations/$organizationId/overview" params={{ organizationId: id }}>
                    {name}
                  </TextLink>
                ),
              },
              {
                title: "State",
                cell: ({ suspended }) => (
                  <Status tone={suspended === true ? "bad" : "good"}>
                    {suspended === true ? "suspended" : "served"}
                  </Status>
                ),
              },
              { title: "Plan", cell: ({ plan }) => (plan ? "active" : "none") },
              { title: "Payment method", cell: (organization) => (organization.payment_method ? "on file" : "none") },
              {
                title: "Credits",
                isNumber: true,
                cell: ({ credits }) => <Credits amount={credits} />,
              },
              { title: "Actions", cell: actionsOf },
            ]}
          />
        )}
      </Loaded>
      {dialog}
    </Screen>
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
    <FormDialog title="Create an organization" action="Create the organization" onSubmit={create}>
      <TextField label="Name" required data-autofocus value={name} onChange={setName} />
      <TextField
        label="Credits"
        description="With credits it also gets a plan and a payment method, and can send requests at once"
        type="number"
        min={0}
        step="any"
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
    <FormDialog title={`Rename ${organization.name}`} action="Rename" onSubmit={rename}>
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
      onConfirm={() => take(api.POST("/organizations/{organization_id}/suspend", inOrganization(id)))}
    />
  );
}
