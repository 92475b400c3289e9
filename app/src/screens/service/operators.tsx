// Who is signed in as an operator, and links that sign in others.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, take } from "../../api/client.ts";
import { operatorSessionsQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { LinkOnce } from "../../parts/link-once.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { SessionTable } from "../../session/session-table.tsx";

type Link = Awaited<ReturnType<typeof createLink>>;
type OpenDialog = { readonly kind: "create" } | { readonly kind: "created"; readonly link: Link };

function createLink(name: string) {
  return take(api.POST("/operators/sign-in-link", { body: { name } }));
}

export function Operators() {
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  return (
    <Section
      title="Operators"
      actions={
        <Button variant="default" onClick={() => setDialog({ kind: "create" })}>
          Create an operator's link
        </Button>
      }
    >
      <Loaded query={useQuery(operatorSessionsQuery)}>
        {(rows) => (
          <SessionTable
            caption="Sessions of operators"
            rows={rows}
            onEnd={({ id }) =>
              take(api.DELETE("/operators/sessions/{session_id}", { params: { path: { session_id: id } } }))
            }
          />
        )}
      </Loaded>
      {dialog?.kind === "create" && (
        <CreateLink onCreated={(link) => setDialog({ kind: "created", link })} onClose={close} />
      )}
      {dialog?.kind === "created" && (
        <LinkOnce link={dialog.link} of={dialog.link.operator.name} onClose={close}>
          Whoever has it manages the whole service.
        </LinkOnce>
      )}
    </Section>
  );
}

function CreateLink({ onCreated, onClose }: { onCreated: (link: Link) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const change = useChange(() => createLink(name), onCreated);
  return (
    <FormDialog
      title="Create an operator's link"
      action="Create the link"
      onSubmit={() => change.mutateAsync()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="Names the operator in the audit log"
        required
        data-autofocus
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}
