// One turn: its times, what its provider said, what it used and cost; never its content.
import { Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TurnDetail } from "../../api/client.ts";
import { LIVE_MS } from "../../api/queries.ts";
import { turnQuery } from "../../api/turn-queries.ts";
import { Copy } from "../../parts/copy.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { formatCount, formatMs } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { Time } from "../../parts/time.tsx";
import { LiftedBy } from "../lifted-by.tsx";
import { TransferTable } from "../budgets/transfers.tsx";
import { TurnStatus } from "./turn-status.tsx";
import { Bar, Waterfall } from "./waterfall.tsx";
import { Credits, useMoneyWords } from "../../parts/money.tsx";

export function Turn() {
  const { organizationId, responseId } = useParams({
    from: "/signed-in/organizations/$organizationId/turns/$responseId",
  });
  const turn = useQuery({
    ...turnQuery(organizationId, responseId),
    refetchInterval: ({ state }) => (state.data !== undefined && state.data.credits === null ? LIVE_MS : false),
  });
  return (
    <Screen
      title="Response"
      about={<Code className="wrap">{responseId}</Code>}
      actions={<Copy text={responseId} label="Copy the id" />}
    >
      <Loaded query={turn}>{(data) => <Shown turn={data} organizationId={organizationId} />}</Loaded>
    </Screen>
  );
}

function Shown({ turn, organizationId }: { turn: TurnDetail; organizationId: string }) {
  const params = { organizationId };
  const log = (search: object, text: string) => (
    <TextLink to="/organizations/$organizationId/turns" params={params} search={search}>
      {text}
    </TextLink>
  );
  const response = (id: string) => (
    <TextLink to="/organizations/$organizationId/turns/$responseId" params={{ ...params, responseId: id }}>
      {id}
    </TextLink>
  );
  return (
    <>
      <Facts
        facts={[
          ["Status", <TurnStatus key="status" turn={turn} />],
          ["Began", <Time key="began" at={turn.created_at} />],
          ["Model", log({ model: turn.model }, turn.model)],
          ["Key", log({ key: turn.key }, turn.key_name ?? turn.key)],
          ["Member", turn.member === null ? null : log({ member: turn.member }, turn.email ?? turn.member)],
          ["Conversation", turn.conversation && log({ conversation: turn.conversation }, turn.conversation)],
          ["Request", turn.request_id && <Code key="request">{turn.request_id}</Code>],
          ["End user", turn.end_user && log({ end_user: turn.end_user }, turn.end_user)],
          ["Label", turn.label && log({ label: turn.label }, turn.label)],
          ["Continues", turn.previous_response_id && response(turn.previous_response_id)],
          ["Answers calls of", turn.turn === turn.id ? null : response(turn.turn)],
          ["Stopped early by", turn.incomplete_reason],
          ["Tool calls dropped", turn.tool_calls_dropped === 0 ? null : formatCount(turn.tool_calls_dropped)],
          ["Deleted", turn.deleted_at === null ? null : <Time key="deleted" at={turn.deleted_at} />],
        ]}
      />
      {turn.failure !== null && (
        <Section title="Why it failed">
          <Stack gap="xs">
            <Text fw={600}>{turn.failure.rule}</Text>
            {turn.failure.message !== null && <Text>The client was told: {turn.failure.message}</Text>}
            {turn.failure_code === "provider_client_error" && (
              <Text>
                The provider’s own words may quote the request.{" "}
                <TextLink to="/playground" search={{ response: turn.id }}>
                  Read them with the key that made it
                </TextLink>
              </Text>
            )}
            <LiftedBy
              title="What would let the next one through:"
              sentences={turn.failure.lifted_by}
              organizationId={organizationId}
            />
          </Stack>
        </Section>
      )}
      <Section title="Timeline">
        <Timeline turn={turn} />
      </Section>
      {turn.failed_attempts.length > 0 && (
        <Section title="Targets">
          <Waterfall turn={turn} />
        </Section>
      )}
      <Section title="Provider">
        <Facts
          facts={[
            ["Called", describeAttempts(turn.attempts)],
            ["Ran at", turn.target],
            ["Last status", turn.provider_status === null ? null : String(turn.provider_status)],
            ["Its request id", turn.provider_request_id && <Code key="id">{turn.provider_request_id}</Code>],
          ]}
        />
      </Section>
      <Section title="Usage and charge">
        <Cost turn={turn} />
      </Section>
      {turn.transfers.length > 0 && (
        <Section title="Transfers">
          <TransferTable transfers={turn.transfers} />
        </Section>
      )}
      {turn.warnings.length > 0 && (
        <Section title="Notes of the service">
          <ul>
            {turn.warnings.map(({ code, param }) => (
              <li key={`${code} ${param ?? ""}`}>
                <Code>{code}</Code> {param}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function describeAttempts(attempts: number | null): string {
  if (attempts === null) return "not recorded";
  return attempts === 1 ? "once" : `${formatCount(attempts)} times`;
}

/** Names and values; those without a value are left out. */
function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** What happened when, in milliseconds since the turn began. */
function Timeline({ turn }: { turn: TurnDetail }) {
  const steps = [
    { step: "created", ms: 0 },
    { step: turn.status === "queued" ? "waits in the queue" : "dispatched", ms: turn.queue_ms },
    { step: "first output", ms: turn.first_output_ms },
    { step: turn.credits === null ? "runs" : "ended", ms: turn.duration_ms },
  ].filter(({ ms }) => ms !== null);
  const wholeMs = Math.max(...steps.map(({ ms }) => ms ?? 0));
  const rows = steps.map((step, index) => ({ ...step, fromMs: steps[index - 1]?.ms ?? 0 }));
  return (
    <DataTable
      caption="Timeline"
      rows={rows}
      rowKey={({ step }) => step}
      columns={[
        { title: "What", cell: ({ step }) => step },
        { title: "After", isNumber: true, cell: ({ ms }) => formatMs(ms) },
        {
          title: "Since the step before",
          cell: ({ fromMs, ms }) =>
            ms !== null &&
            ms > fromMs && (
              <Bar from={fromMs / wholeMs} length={(ms - fromMs) / wholeMs} isGood={turn.status !== "failed"} />
            ),
        },
      ]}
    />
  );
}

/** The tokens of each kind and their price then. */
function Cost({ turn }: { turn: TurnDetail }) {
  const words = useMoneyWords();
  const { prices } = turn;
  const { input_tokens: input, cached_tokens: cached, cache_write_tokens: written, output_tokens: output } = turn;
  // `counted`: the tokens that are charged at the price of the row, and in no other.
  const rows = [
    { kind: "input", tokens: input, counted: input - cached - written, price: prices?.input },
    { kind: "of it read from a cache", tokens: cached, counted: cached, price: prices?.cached_input },
    { kind: "of it written to a cache", tokens: written, counted: written, price: prices?.cache_write },
    { kind: "output", tokens: output, counted: output, price: prices?.output },
  ];
  return (
    <>
      <DataTable
        caption="Tokens"
        rows={rows}
        rowKey={({ kind }) => kind}
        columns={[
          { title: "Tokens", cell: ({ kind }) => kind },
          { title: "Number", isNumber: true, cell: ({ tokens }) => formatCount(tokens) },
          {
            title: "Credits per million",
            isNumber: true,
            cell: ({ price }) => (price === undefined ? "free" : <Credits amount={price} />),
          },
          {
            title: "Credits",
            isNumber: true,
            cell: ({ counted, price = 0 }) => <Credits amount={(counted * price) / 1_000_000} />,
          },
        ]}
      />
      <Text size="sm">
        {turn.credits === null
          ? `It runs; ${words(turn.held)} are held for it.`
          : `Charged ${words(turn.credits)}; ${words(turn.held)} were held.`}
        {turn.reasoning_tokens > 0 && ` ${formatCount(turn.reasoning_tokens)} tokens of the output are reasoning.`}
        {(prices?.tiers.length ?? 0) > 0 && " Longer inputs have other prices."}
      </Text>
    </>
  );
}
