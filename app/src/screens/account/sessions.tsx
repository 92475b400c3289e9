// The sessions of the person who is signed in.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, take } from "../../api/client.ts";
import { sessionsQuery } from "../../api/queries.ts";
import { Confirm, useDialog } from "../../parts/dialog.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { SessionTable } from "../../session/session-table.tsx";
import { useLeave } from "../../session/session.ts";

export function OwnSessions() {
  const { open, dialog } = useDialog();
  const leave = useLeave();
  const endAll = async () => {
    await take(api.DELETE("/sessions"));
    await leave();
  };
  const confirm = () =>
    open(
      <Confirm
        title="Sign out everywhere?"
        consequence="All your sessions end, this one included."
        action="End all sessions"
        onConfirm={endAll}
      />,
    );
  return (
    <Section
      title="Sessions"
      actions={
        <Button variant="default" onClick={confirm}>
          Sign out everywhere
        </Button>
      }
    >
      <Loaded query={useQuery(sessionsQuery)}>
        {(rows) => (
          <SessionTable
            caption="Your sessions"
            rows={rows}
            onEnd={({ id }) => take(api.DELETE("/sessions/{session_id}", { params: { path: { session_id: id } } }))}
          />
        )}
      </Loaded>
      {dialog}
    </Section>
  );
}
