// What a turn sent and received: the request, every event with its time, the final object, usage and cost.
import { Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useContext, useState } from "react";
import type { Model } from "../../api/client.ts";
import { keyHolderQuery } from "../../api/queries.ts";
import { Copy } from "../../parts/copy.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { formatCount, formatDollars } from "../../parts/format.ts";
import { UsdPerCredit, useMoneyWords } from "../../parts/money.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { SessionContext } from "../../session/session.ts";
import { copyAs, LANGUAGES, type Language } from "./copy-as.ts";
import type { Turn } from "./turns.ts";
import { useCatalog } from "./use-catalog.ts";
import type { Usage } from "./v1.ts";

const TABS = [
  { name: "request", title: "Request" },
  { name: "events", title: "Events" },
  { name: "response", title: "Response" },
  { name: "code", title: "Code" },
] as const;

export function Wire({ turn }: { turn: Turn }) {
  const [tab, setTab] = useState<(typeof TABS)[number]["name"]>("events");
  const first = turn.events.find(({ event }) => event.type.endsWith(".delta"));
  const last = turn.events.at(-1);
  return (
    <Stack gap="sm" component="section" aria-label={`Wire of response ${turn.id}`}>
      <Title order={2} size="h4">
        The wire of response {turn.id}
      </Title>
      <Text size="sm">
        {turn.requestId !== null && <>Request {turn.requestId}. </>}
        {first !== undefined && <>First delta after {formatMs(first.atMs)}. </>}
        {last !== undefined && !turn.isRunning && <>Ended after {formatMs(last.atMs)}.</>}
      </Text>
      {turn.response?.usage != null && <Used usage={turn.response.usage} model={turn.response.model} />}
      <Tabs label="Wire" tabs={TABS} chosen={tab} onChoose={setTab}>
        {tab === "request" && <Json value={turn.request} name="request" />}
        {tab === "events" && <Events turn={turn} />}
        {tab === "response" && <Json value={turn.response} name="response" />}
        {tab === "code" && <AsCode turn={turn} />}
      </Tabs>
    </Stack>
  );
}

function Json({ value, name }: { value: unknown; name: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      <Copy text={text} label={`Copy the ${name}`} />
      <pre className="wire" tabIndex={0} data-testid={name}>
        {text}
      </pre>
    </>
  );
}

/** Every event in a line: when it came, its size, and itself. */
function Events({ turn: { events, isReadBack } }: { turn: Turn }) {
  const [text, setText] = useState("");
  if (isReadBack) return <Text size="sm">Events are not kept: this response was read back from the service.</Text>;
  const wanted = text.trim().toLowerCase();
  const lines = events.map(({ atMs, event }) => ({ atMs, json: JSON.stringify(event) }));
  const found = lines.filter(({ json }) => json.toLowerCase().includes(wanted));
  return (
    <>
      <TextField
        aria-label="Filter the events"
        placeholder="Filter, such as output_text.delta"
        type="search"
        value={text}
        onChange={setText}
      />
      <Text size="xs" c="dimmed" role="status">
        {wanted === "" ? "" : `${formatCount(found.length)} of `}
        {formatCount(events.length)} events, {formatCount(found.reduce((sum, { json }) => sum + sizeOf(json), 0))} bytes
      </Text>
      <pre className="wire" tabIndex={0} data-testid="events">
        {found
          .map(({ atMs, json }) => `${formatMs(atMs).padStart(9)} ${`${sizeOf(json)} B`.padStart(8)}  ${json}`)
          .join("\n")}
      </pre>
    </>
  );
}

const encoder = new TextEncoder();
const sizeOf = (text: string): number => encoder.encode(text).length;

function AsCode({ turn }: { turn: Turn }) {
  const session = useContext(SessionContext);
  const { data: holder } = useQuery({ ...keyHolderQuery, enabled: session === null });
  const baseUrl = session?.base_url ?? holder?.base_url ?? "";
  const [language, setLanguage] = useState<Language>("curl");
  const code = copyAs(language, baseUrl, turn.request);
  return (
    <>
      <Group align="flex-end">
        <SelectField label="Copy as" value={language} data={[...LANGUAGES]} onChange={setLanguage} />
        <Copy text={code} label="Copy" />
      </Group>
      <pre className="wire" tabIndex={0} data-testid="code">
        {code}
      </pre>
    </>
  );
}

function Used({ usage, model: id }: { usage: Usage; model: string }) {
  const model = useCatalog().find((one) => one.id === id);
  const rate = useContext(UsdPerCredit);
  const words = useMoneyWords();
  const cost = (usd: number) => (usd === 0 ? "free" : rate === null ? formatDollars(usd) : words(usd / rate));
  const { cached_tokens: cached, cache_write_tokens: written } = usage.input_tokens_details;
  const { reasoning_tokens: reasoning } = usage.output_tokens_details;
  return (
    <Text size="sm">
      {formatCount(usage.input_tokens)} tokens in ({formatCount(cached)} cached, {formatCount(written)} written to
      cache), {formatCount(usage.output_tokens)} out ({formatCount(reasoning)} reasoning)
      {model !== undefined && <>, {cost(costOf(usage, model))} at the prices of the catalog</>}
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

function formatMs(milliseconds: number): string {
  return `${Math.round(milliseconds)} ms`;
}
