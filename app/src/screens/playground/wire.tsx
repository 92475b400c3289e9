// What a turn sent and received: the request, every event with its time, the final object, usage and cost.
import { Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Model } from "../../api/client.ts";
import { modelsQuery } from "../../api/queries.ts";
import { Copy } from "../../parts/copy.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { formatCount, formatDollars } from "../../parts/format.ts";
import { useSession } from "../../session/session.ts";
import { copyAs, LANGUAGES, type Language } from "./copy-as.ts";
import type { Turn } from "./turns.ts";
import type { Usage } from "./v1.ts";

export function Wire({ turn }: { turn: Turn }) {
  const [language, setLanguage] = useState<Language>("curl");
  const code = copyAs(language, useSession().base_url, turn.request);
  const first = turn.events.find(({ event }) => event.type.endsWith(".delta"));
  const last = turn.events.at(-1);
  return (
    <Stack gap="sm" component="section" aria-label={`Wire of turn ${turn.id}`}>
      <Title order={2} size="h4">
        The wire of turn {turn.id}
      </Title>
      <Group align="flex-end">
        <SelectField label="Copy as" value={language} data={[...LANGUAGES]} onChange={setLanguage} />
        <Copy text={code} label="Copy" />
      </Group>
      <Text size="sm">
        {turn.requestId !== null && <>Request {turn.requestId}. </>}
        {first !== undefined && <>First delta after {formatMs(first.atMs)}. </>}
        {last !== undefined && !turn.isRunning && <>Ended after {formatMs(last.atMs)}.</>}
      </Text>
      {turn.response?.usage !== undefined && <Used usage={turn.response.usage} model={turn.response.model} />}
      <details>
        <summary>Request</summary>
        <pre className="wire" tabIndex={0} data-testid="request">
          {code}
        </pre>
      </details>
      <details>
        <summary>{formatCount(turn.events.length)} events</summary>
        <pre className="wire" tabIndex={0} data-testid="events">
          {turn.events.map(({ atMs, event }) => `${formatMs(atMs).padStart(9)}  ${JSON.stringify(event)}`).join("\n")}
        </pre>
      </details>
      <details>
        <summary>Response</summary>
        <pre className="wire" tabIndex={0}>
          {JSON.stringify(turn.response, null, 2)}
        </pre>
      </details>
    </Stack>
  );
}

function Used({ usage, model: id }: { usage: Usage; model: string }) {
  const { data: catalog = [] } = useQuery(modelsQuery);
  const model = catalog.find((one) => one.id === id);
  const { cached_tokens: cached, cache_write_tokens: written } = usage.input_tokens_details;
  const { reasoning_tokens: reasoning } = usage.output_tokens_details;
  return (
    <Text size="sm">
      {formatCount(usage.input_tokens)} tokens in ({formatCount(cached)} cached, {formatCount(written)} written to
      cache), {formatCount(usage.output_tokens)} out ({formatCount(reasoning)} reasoning)
      {model !== undefined && <>, {formatUsd(costOf(usage, model))} at the prices of the catalog</>}
    </Text>
  );
}

/** USD, by the tier of the input's length. The charge in credits is on the screen of usage. */
function costOf(usage: Usage, { prices }: Model): number {
  const tier = (prices.tiers ?? []).findLast(({ above_input_tokens: above }) => usage.input_tokens > above) ?? prices;
  const { cached_tokens: cached, cache_write_tokens: written } = usage.input_tokens_details;
  const plain = usage.input_tokens - cached - written;
  const total =
    plain * tier.input + cached * tier.cached_input + written * tier.cache_write + usage.output_tokens * tier.output;
  return total / 1_000_000;
}

function formatUsd(usd: number): string {
  return usd === 0 ? "free" : formatDollars(usd);
}

function formatMs(milliseconds: number): string {
  return `${Math.round(milliseconds)} ms`;
}
