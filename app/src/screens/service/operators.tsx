// Who is signed in as an operator, and links that sign in others.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, take } from "../../api/client.ts";
import { operatorSessionsQuery } from "../../api/queries.ts";
import { FormDialog, useDialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { LinkOnce } from "../../parts/link-once.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { SessionTable } from "../../session/session-table.tsx";

type Link = Awaited<ReturnType<typeof createLink>>;

function createLink(name: string) {
  return take(api.POST("/operators/sign-in-link", { body: { name } }));
}

export function Operators() {
  const { open, dialog } = useDialog();
  const showLink = (link: Link) =>
    open(
      <LinkOnce link={link} person={link.operator.name}>
        It gives control over the whole service.
      </LinkOnce>,
    );
  return (
    <Section
      title="Operators"
      actions={
        <Button variant="default" onClick={() => open(<CreateLink onCreated={showLink} />)}>
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
      {dialog}
    </Section>
  );
}

function CreateLink({ onCreated }: { onCreated: (link: Link) => void }) {
  const [name, setName] = useState("");
  return (
    <FormDialog
      title="Create an operator's link"
      action="Create the link"
      onSubmit={() => createLink(name)}
      onDone={onCreated}
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
