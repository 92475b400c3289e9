// After how many days without use histories are deleted.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, inOrganization, type Retention, take } from "../../api/client.ts";
import { retentionQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { TextField } from "../../parts/fields.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { mayOwn } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { OtherSide } from "./other-side.tsx";
import { ownDays } from "./rules.ts";
import { SaveForm } from "./save-form.tsx";

export function RetentionForm({ organizationId }: { organizationId: string }) {
  const { role } = useSession();
  const retention = useQuery(retentionQuery(organizationId));
  return (
    <Section title="Retention">
      <Text size="sm">
        A conversation, or a first response with everything that continues it, is deleted for good this many days after
        its last response or added item. Its charges and usage stay.
      </Text>
      <Loaded query={retention}>
        {(data) =>
          mayOwn(role) ? (
            <DaysForm organizationId={organizationId} retention={data} />
          ) : (
            <Text size="sm">As it is set: {describeDays(data.effective_days)}. Owners change it.</Text>
          )
        }
      </Loaded>
    </Section>
  );
}

function DaysForm({ organizationId, retention }: { organizationId: string; retention: Retention }) {
  const { role } = useSession();
  const { service_days: serviceDays, operator_days: operatorDays } = retention;
  const [value, setValue] = useState(ownDays(retention, role)?.toString() ?? "");
  const change = useChange(() => {
    const body = { days: value === "" ? null : Number(value) };
    return take(api.POST("/organizations/{organization_id}/retention", { ...inOrganization(organizationId), body }));
  });
  return (
    <SaveForm action="Save the retention" change={change}>
      {role === "operator" && retention.days !== null && <OtherSide rules={describeDays(retention.days)} />}
      {role !== "operator" && operatorDays !== undefined && <OtherSide rules={describeDays(operatorDays)} />}
      <TextField
        label="Delete after this many days without use"
        description={`Empty: ${describeDays(serviceDays)}, the setting of the service${serviceDays === null ? "" : " and the most"}`}
        type="number"
        min={1}
        {...(serviceDays === null ? {} : { max: serviceDays })}
        value={value}
        onChange={setValue}
      />
    </SaveForm>
  );
}

function describeDays(days: number | null): string {
  if (days === null) return "never";
  return days === 1 ? "after 1 day" : `after ${days} days`;
}
