// The sessions of a member.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, type Member, take } from "../../api/client.ts";
import { memberSessionsQuery } from "../../api/queries.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { SessionTable } from "../../session/session-table.tsx";

export function MemberSessions({ organizationId, member }: { organizationId: string; member: Member }) {
  const end = (sessionId: string) => {
    const params = { path: { organization_id: organizationId, member_id: member.id, session_id: sessionId } };
    return take(api.DELETE("/organizations/{organization_id}/members/{member_id}/sessions/{session_id}", { params }));
  };
  return (
    <Dialog title={`Sessions of ${member.email}`} isWide>
      <Loaded
        query={useQuery(memberSessionsQuery(organizationId, member.id))}
        empty={<Text size="sm">{member.email} is not signed in.</Text>}
      >
        {(rows) => <SessionTable caption={`Sessions of ${member.email}`} rows={rows} onEnd={(row) => end(row.id)} />}
      </Loaded>
    </Dialog>
  );
}
