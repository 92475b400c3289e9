// Tries the rules about models on the last 30 days before they are saved.
import { Text } from "@mantine/core";
import { api, type PolicyTrial, take } from "../../api/client.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { timeOf } from "../../parts/days.ts";
import { formatCount } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";
import { Run } from "../../parts/run.tsx";
import { TurnsLink } from "../turns/turns-link.tsx";
import { Credits } from "../../parts/money.tsx";

interface Rules {
  /** Null: all. */
  readonly allowed: readonly string[] | null;
  readonly denied: readonly string[];
}

type Model = PolicyTrial["models"][number];

export function TryPolicy({ organizationId, rules }: { organizationId: string; rules: Rules }) {
  const { allowed, denied } = rules;
  const query = {
    ...(allowed === null ? {} : { allow_models: allowed.join(",") }),
    deny_models: denied.join(","),
  };
  const run = () =>
    take(
      api.GET("/organizations/{organization_id}/policy/trial", {
        params: { path: { organization_id: organizationId }, query },
      }),
    );
  return (
    // What was tried with other rules says nothing about these.
    <Run action="Try it on last month" key={JSON.stringify(rules)} run={run}>
      {(trial) => <Outcome organizationId={organizationId} trial={trial} />}
    </Run>
  );
}

function Outcome({ organizationId, trial }: { organizationId: string; trial: PolicyTrial }) {
  const columns = [
    { title: "Model", isWide: true, cell: ({ model }: Model) => model },
    {
      title: "Responses",
      isNumber: true,
      cell: ({ model, responses }: Model) => (
        <TurnsLink
          organizationId={organizationId}
          subject={model}
          count={responses}
          search={{ model, from: timeOf(trial.from), to: timeOf(trial.to) }}
        />
      ),
    },
    { title: "Credits", isNumber: true, cell: ({ credits }: Model) => <Credits amount={credits} /> },
  ];
  const rejected = trial.rejected_responses === 0 ? "none" : formatCount(trial.rejected_responses);
  return (
    <>
      <Text size="sm" mb="xs">
        It would have rejected {rejected} of {formatCount(trial.responses)} responses since <Time at={trial.from} />.
      </Text>
      {trial.models.length > 0 && (
        <DataTable
          caption="Responses that the policy would have rejected"
          columns={columns}
          rows={trial.models}
          rowKey={({ model }) => model}
        />
      )}
    </>
  );
}
