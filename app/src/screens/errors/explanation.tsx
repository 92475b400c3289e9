// Why one request was rejected, by its id; one that made a response leads to it.
import { Alert, Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ErrorCode, RejectionDetail } from "../../api/client.ts";
import { RequestFailure } from "../../api/failure.ts";
import { idQuery, rejectionQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Credits, useMoneyWords } from "../../parts/money.tsx";
import { Section } from "../../parts/screen.tsx";
import { Time } from "../../parts/time.tsx";
import { periodOf } from "../budgets/periods.ts";
import { LiftedBy } from "../lifted-by.tsx";
import { LeftOut } from "./left-out.tsx";

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
  return (
    <Section title="Why it was rejected">
      <Stack gap="xs">
        <Text>
          <Time at={rejection.at} />: {inWords(rejection.operation)} with the key {rejection.key_name ?? rejection.key}{" "}
          got {rejection.status} <Code>{rejection.code}</Code>
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
        <LeftOut count={rejection.skipped} />
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
        <LiftedBy title="What would let it through:" sentences={rejection.lifted_by} organizationId={organizationId} />
      </Stack>
      {MONEY_CODES.has(rejection.code) && <Money now={rejection.now} />}
      {RATE_CODES.has(rejection.code) && <Limits limits={rejection.now.limits} />}
    </Section>
  );
}

/** The codes of rules about money, and of those about requests, streams and responses at once. */
const MONEY_CODES: ReadonlySet<ErrorCode> = new Set([
  "budget_exceeded",
  "insufficient_credits",
  "insufficient_quota",
  "org_daily_budget_exceeded",
  "payment_method_required",
  "scope_budget_exceeded",
]);
const RATE_CODES: ReadonlySet<ErrorCode> = new Set([
  "gateway_overloaded",
  "rate_limit_exceeded",
  "stream_limit_exceeded",
]);

/** The name of an operation in words, such as "create response". */
const inWords = (operation: string): string => operation.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const SCOPES = {
  organization: "the organization",
  "organization-day": "a day of the organization",
  member: "the member",
  key: "the key",
  response: "each response",
} as const;

/** The credits and the budgets that limit the key now. */
function Money({ now }: { now: RejectionDetail["now"] }) {
  const words = useMoneyWords();
  return (
    <>
      <Text size="sm">
        Now: {words(now.credits)}
        {now.held > 0 ? ` and ${words(now.held)} reserved for running responses` : ""},{" "}
        {now.plan ? "a plan" : "no plan"}, {now.payment_method ? "a payment method" : "no payment method"}
        {now.suspended ? ", suspended" : ""}.
      </Text>
      {now.budgets.length > 0 && (
        <DataTable
          caption="The budgets of the key now"
          rows={now.budgets}
          rowKey={({ scope, period }) => `${scope} ${period}`}
          columns={[
            { title: "Budget of", cell: ({ scope }) => SCOPES[scope] },
            { title: "Period", cell: periodOf },
            { title: "Limit, credits", isNumber: true, cell: ({ limit }) => <Credits amount={limit} /> },
            { title: "Reserved, credits", isNumber: true, cell: ({ held }) => <Credits amount={held} /> },
            { title: "Left, credits", isNumber: true, cell: ({ left }) => <Credits amount={left} /> },
            { title: "Resets", cell: ({ resets_at: at }) => (at === null ? "never" : <Time at={at} />) },
          ]}
        />
      )}
    </>
  );
}

function Limits({ limits }: Pick<RejectionDetail["now"], "limits">) {
  return (
    <Text size="sm">
      Now: {formatCount(limits.create_per_minute)} creates, {formatCount(limits.retrieve_per_minute)} retrieves and{" "}
      {formatCount(limits.delete_per_minute)} deletes a minute, {formatCount(limits.open_streams)} open streams,{" "}
      {formatCount(limits.concurrent_turns)} responses at once.
    </Text>
  );
}
