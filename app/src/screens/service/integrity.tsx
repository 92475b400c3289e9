// Whether the books and the audit log are what they were, and the erasure of deleted content.
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, take } from "../../api/client.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Confirm, useDialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { formatCount } from "../../parts/format.ts";
import { Run } from "../../parts/run.tsx";
import { Section } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";

export function Integrity() {
  return (
    <>
      <Reconciliation />
      <AuditChain />
      <Erasure />
    </>
  );
}

function Reconciliation() {
  return (
    <Section title="Books">
      <Text size="sm">Recomputes every balance and budget from the ledger and compares. It changes nothing.</Text>
      <Run action="Check the books" run={() => take(api.GET("/reconciliation"))}>
        {(data) => (
          <Stack gap="sm">
            <Text component="div">
              <Status tone={data.differences_found === 0 ? "good" : "bad"}>
                {data.differences_found === 0 ? "the books agree" : `${data.differences_found} differences`}
              </Status>{" "}
              {formatCount(data.organizations)} organizations, {formatCount(data.transfers)} transfers,{" "}
              {formatCount(data.responses)} responses, {formatCount(data.budget_periods)} budget periods
            </Text>
            {data.differences.length > 0 && (
              <DataTable
                caption="Differences"
                rows={data.differences}
                rowKey={(row) => `${row.organization} ${row.compared} ${row.of ?? ""}`}
                columns={[
                  { title: "Organization", cell: (row) => row.organization },
                  { title: "Compared", cell: (row) => `${row.compared} ${row.of ?? ""}` },
                  { title: "Recorded", isNumber: true, cell: (row) => row.recorded },
                  { title: "Expected", isNumber: true, cell: (row) => row.expected },
                ]}
              />
            )}
          </Stack>
        )}
      </Run>
    </Section>
  );
}

function AuditChain() {
  const [head, setHead] = useState("");
  const verify = () => {
    const query = head.trim() === "" ? {} : { head: head.trim() };
    return take(api.GET("/audit/verification", { params: { query } }));
  };
  return (
    <Section title="Chain of the audit log">
      <TextField
        label="Head of an earlier check"
        description="Optional: finds a log that was cut or rewritten since"
        maw="44rem"
        value={head}
        onChange={setHead}
      />
      <Run action="Verify the audit log" run={verify}>
        {(data) => (
          <Stack gap="xs">
            <Text component="div">
              <Status tone={data.broken_at === null && data.has_head !== false ? "good" : "bad"}>
                {data.broken_at !== null
                  ? `broken at entry ${data.broken_at}`
                  : data.has_head === false
                    ? "the given head is not in the log"
                    : "intact"}
              </Status>{" "}
              {formatCount(data.checked)} entries
            </Text>
            <Text size="sm" component="div">
              Head, to be kept elsewhere: <Code className="wrap">{data.head}</Code>
            </Text>
          </Stack>
        )}
      </Run>
    </Section>
  );
}

function Erasure() {
  const { open, dialog } = useDialog();
  const erase = useMutation({ mutationFn: () => take(api.POST("/erase", {})) });
  const confirm = () =>
    open(
      <Confirm
        title="Erase deleted content of all organizations?"
        consequence="Content that was deleted longer ago than the retention is erased for good."
        action="Erase"
        onConfirm={() => erase.mutateAsync()}
      />,
    );
  return (
    <Section title="Erasure">
      <Text size="sm">Deleted content is erased every hour once its retention has passed.</Text>
      <Group>
        <Button size="xs" variant="default" onClick={confirm}>
          Erase now
        </Button>
        {erase.data !== undefined && <Text role="status">{formatCount(erase.data.erased)} rows erased</Text>}
      </Group>
      {dialog}
    </Section>
  );
}
