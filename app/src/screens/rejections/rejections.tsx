// Why was a request rejected? By the request id that its client got, and a list of the latest ones.
import { Alert, Button, Code, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import type { Rejection, RejectionDetail } from "../../api/client.ts";
import { RequestFailure } from "../../api/failure.ts";
import { rejectionQuery, rejectionsQuery } from "../../api/queries.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/fields.tsx";
import { formatCount } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Credits, useMoneyWords } from "../../parts/money.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { Ago, Time } from "../../parts/time.tsx";
import { useOrganizationId } from "../use-organization-id.ts";

export function Rejections() {
  const organizationId = useOrganizationId();
  const { request = "" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [text, setText] = useState(request);
  useEffect(() => setText(request), [request]);
  const explain = (event: FormEvent) => {
    event.preventDefault();
    const id = text.trim();
    void navigate({ to: ".", search: id === "" ? {} : { request: id } });
  };
  return (
    <Screen
      title="Rejected requests"
      about="Why a request got an error, and what would let it through. Each key keeps a few, for 7 days."
    >
      <form className="screen-actions" onSubmit={explain}>
        <TextField label="Request id" description="x-request-id of the response" value={text} onChange={setText} />
        <Button type="submit">Explain</Button>
      </form>
      {request !== "" && <Explained organizationId={organizationId} requestId={request} />}
      <Latest organizationId={organizationId} />
    </Screen>
  );
}

function Explained({ organizationId, requestId }: { organizationId: string; requestId: string }) {
  const rejection = useQuery(rejectionQuery(organizationId, requestId));
  const { error } = rejection;
  if (error instanceof RequestFailure && error.status === 404) {
    return (
      <Alert variant="default" role="status" title="This request was not kept">
        <Text size="sm">
          It was not rejected, it is too old, there were too many, or it had no key of this organization. A turn that
          failed after it began is in the log of turns.
        </Text>
      </Alert>
    );
  }
  return <Loaded query={rejection}>{(data) => <Explanation of={data} />}</Loaded>;
}

function Explanation({ of }: { of: RejectionDetail }) {
  const { now } = of;
  const words = useMoneyWords();
  return (
    <Section title="Why it was rejected">
      <Text>
        <Time at={of.at} />: <Code>{of.operation}</Code> with the key {of.key_name ?? of.key} got {of.status}{" "}
        <Code>{of.code}</Code>
        {of.param !== null && (
          <>
            {" "}
            for <Code>{of.param}</Code>
          </>
        )}
        .
      </Text>
      <Text fw={600}>{of.rule}</Text>
      {of.message !== null && <Text>The client was told: {of.message}</Text>}
      <Text>What would let it through:</Text>
      <List>
        {of.lifted_by.map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
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

function Latest({ organizationId }: { organizationId: string }) {
  const rejections = useQuery(rejectionsQuery(organizationId));
  return (
    <Section title="The latest">
      <Loaded
        query={rejections}
        empty={<Empty title="No rejected requests">Requests that got an error appear here after a second.</Empty>}
      >
        {(rows) => (
          <DataTable
            caption="Rejected requests"
            rows={rows}
            rowKey={({ id }) => String(id)}
            columns={[
              { title: "When", cell: ({ at }) => <Ago at={at} /> },
              { title: "Key", cell: (row: Rejection) => row.key_name ?? row.key },
              { title: "Operation", cell: ({ operation }) => <Breakable text={operation} /> },
              {
                title: "Code",
                cell: ({ code }) => (
                  <Code>
                    <Breakable text={code} />
                  </Code>
                ),
              },
              {
                title: "Request",
                cell: ({ request_id: request }) => (
                  <TextLink
                    to="/organizations/$organizationId/rejections"
                    params={{ organizationId }}
                    search={{ request }}
                  >
                    {request}
                  </TextLink>
                ),
              },
              { title: "Not kept before", isNumber: true, cell: ({ skipped }) => formatCount(skipped) },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
