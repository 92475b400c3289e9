// Why one request was rejected, by its id; one that made a response leads to it.
import { Alert, Code, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { RejectionDetail } from "../../api/client.ts";
import { RequestFailure } from "../../api/failure.ts";
import { idQuery, rejectionQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Credits, useMoneyWords } from "../../parts/money.tsx";
import { Section } from "../../parts/screen.tsx";
import { Time } from "../../parts/time.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { WhomToAsk } from "../whom-to-ask.tsx";

export function Explained({ organizationId, requestId }: { organizationId: string; requestId: string }) {
  const rejection = useQuery(rejectionQuery(organizationId, requestId));
  const { error } = rejection;
  if (error instanceof RequestFailure && error.status === 404) {
    return <NotRejected organizationId={organizationId} requestId={requestId} />;
  }
  return (
    <Loaded query={rejection}>{(data) => <Explanation organizationId={organizationId} rejection={data} />}</Loaded>
  );
}

/** A request that made a response, or of which nothing is known. */
function NotRejected({ organizationId, requestId }: { organizationId: string; requestId: string }) {
  const found = useQuery(idQuery(organizationId, requestId));
  return (
    <Loaded query={found}>
      {(ids) => {
        const responses = ids.filter(({ kind }) => kind === "response");
        if (responses.length === 0) {
          return (
            <Alert variant="default" role="status" title="This request was not kept">
              <Text size="sm">
                It was not rejected, it is too old, there were too many, or it had no key of this organization.
              </Text>
            </Alert>
          );
        }
        return (
          <Alert variant="default" role="status" title="This request made a response">
            {responses.map(({ id, name, state }) => (
              <div key={id}>
                <TextLink
                  to="/organizations/$organizationId/turns/$responseId"
                  params={{ organizationId, responseId: id }}
                >
                  {id}
                </TextLink>
                , {name}, {state}
              </div>
            ))}
          </Alert>
        );
      }}
    </Loaded>
  );
}

function Explanation({ organizationId, rejection }: { organizationId: string; rejection: RejectionDetail }) {
  const { role } = useSession();
  const { now } = rejection;
  const words = useMoneyWords();
  return (
    <Section title="Why it was rejected">
      <Text>
        <Time at={rejection.at} />: <Code>{rejection.operation}</Code> with the key{" "}
        {rejection.key_name ?? rejection.key} got {rejection.status} <Code>{rejection.code}</Code>
        {rejection.param !== null && (
          <>
            {" "}
            for <Code>{rejection.param}</Code>
          </>
        )}
        .
      </Text>
      <Text fw={600}>{rejection.rule}</Text>
      {rejection.message !== null && <Text>The client was told: {rejection.message}</Text>}
      {rejection.provider !== null && (
        <Text>
          The provider {rejection.provider} answered {rejection.provider_status ?? "nothing"}
          {rejection.provider_request_id !== null && (
            <>
              , to its request <Code>{rejection.provider_request_id}</Code>
            </>
          )}
          .
        </Text>
      )}
      <Text>What would let it through:</Text>
      <List>
        {rejection.lifted_by.map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
      {!mayManage(role) && (
        <Text>
          <WhomToAsk organizationId={organizationId} forWhat="for it" />
        </Text>
      )}
      <Text size="sm">
        Now: {words(now.credits)}
        {now.held > 0 ? ` and ${words(now.held)} reserved for running turns` : ""}, {now.plan ? "a plan" : "no plan"},{" "}
        {now.payment_method ? "a payment method" : "no payment method"}
        {now.suspended ? ", suspended" : ""}; {formatCount(now.limits.create_per_minute)} creates,{" "}
        {formatCount(now.limits.retrieve_per_minute)} retrieves and {formatCount(now.limits.delete_per_minute)} deletes
        a minute, {formatCount(now.limits.open_streams)} open streams, {formatCount(now.limits.concurrent_turns)} turns
        at once.
      </Text>
      {now.budgets.length > 0 && (
        <DataTable
          caption="The budgets of the key now"
          rows={now.budgets}
          rowKey={({ scope, period }) => `${scope} ${period}`}
          columns={[
            { title: "Budget", cell: ({ scope, period }) => `${scope} ${period}` },
            { title: "Limit, credits", isNumber: true, cell: ({ limit }) => <Credits amount={limit} /> },
            { title: "Reserved, credits", isNumber: true, cell: ({ held }) => <Credits amount={held} /> },
            { title: "Left, credits", isNumber: true, cell: ({ left }) => <Credits amount={left} /> },
            { title: "Resets", cell: ({ resets_at: at }) => (at === null ? "never" : <Time at={at} />) },
          ]}
        />
      )}
    </Section>
  );
}
