// All organizations, for the operator.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Organization, take } from "../../api/client.ts";
import { organizationsQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Confirm, FormDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { TextField } from "../../parts/fields.tsx";
import { creditsFormat } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RowAction } from "../../parts/row-action.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";

type OpenDialog =
  | { readonly kind: "create" }
  | { readonly kind: "suspend" | "rename"; readonly organization: Organization };

export function Organizations() {
  const organizations = useQuery(organizationsQuery);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  const resume = useChange((organization: Organization) =>
    take(
      api.POST("/organizations/{organization_id}/resume", { params: { path: { organization_id: organization.id } } }),
    ),
  );
  return (
    <Screen
      title="Organizations"
      actions={<Button onClick={() => setDialog({ kind: "create" })}>Create an organization</Button>}
    >
      {resume.error !== null && <ErrorNotice error={resume.error} />}
      <Loaded query={organizations}>
        {(data) =>
          data.length === 0 ? (
            <Empty title="No organization yet">Create the first one: keys, members and credits belong to it.</Empty>
          ) : (
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
                  cell: ({ credits }) => creditsFormat(data.map((each) => each.credits))(credits),
                },
                {
                  title: "Actions",
                  cell: (organization) => (
                    <div className="row-actions">
                      <RowAction
                        label="Rename"
                        name={`Rename ${organization.name}`}
                        onClick={() => setDialog({ kind: "rename", organization })}
                      />
                      {organization.suspended === true ? (
                        <RowAction
                          label="Resume"
                          name={`Resume ${organization.name}`}
                          onClick={() => resume.mutate(organization)}
                        />
                      ) : (
                        <RowAction
                          label="Suspend"
                          name={`Suspend ${organization.name}`}
                          onClick={() => setDialog({ kind: "suspend", organization })}
                        />
                      )}
                    </div>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {dialog?.kind === "create" && <CreateOrganization onClose={close} />}
      {dialog?.kind === "rename" && <RenameOrganization organization={dialog.organization} onClose={close} />}
      {dialog?.kind === "suspend" && <SuspendOrganization organization={dialog.organization} onClose={close} />}
    </Screen>
  );
}

function CreateOrganization({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [credits, setCredits] = useState("");
  const change = useChange(() => {
    const body = { name, ...(credits === "" ? {} : { credits: Number(credits) }) };
    return take(api.POST("/organizations", { body }));
  }, onClose);
  return (
    <FormDialog
      title="Create an organization"
      action="Create the organization"
      onSubmit={() => change.mutateAsync()}
      onClose={onClose}
    >
      <TextField label="Name" required data-autofocus value={name} onChange={setName} />
      <TextField
        label="Credits"
        description="With credits it also gets a plan and a payment method, and is served at once"
        type="number"
        min={0}
        step="any"
        value={credits}
        onChange={setCredits}
      />
    </FormDialog>
  );
}

function RenameOrganization({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const [name, setName] = useState(organization.name);
  const change = useChange(() => {
    const params = { path: { organization_id: organization.id } };
    return take(api.POST("/organizations/{organization_id}", { params, body: { name } }));
  }, onClose);
  return (
    <FormDialog
      title={`Rename ${organization.name}`}
      action="Rename"
      onSubmit={() => change.mutateAsync()}
      onClose={onClose}
    >
      <TextField label="Name" required data-autofocus value={name} onChange={setName} />
    </FormDialog>
  );
}

function SuspendOrganization({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const change = useChange(() =>
    take(
      api.POST("/organizations/{organization_id}/suspend", { params: { path: { organization_id: organization.id } } }),
    ),
  );
  return (
    <Confirm
      title={`Suspend ${organization.name}?`}
      consequence={`Requests with the keys of ${organization.name} get 403 until it is resumed. Its members can still manage it.`}
      action="Suspend"
      onConfirm={() => change.mutateAsync()}
      onClose={onClose}
    />
  );
}
