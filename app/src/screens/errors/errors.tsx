// What went wrong: failed responses and rejected requests in one list, each with what it means, and one by its id.
import { Button, Code, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import type { ErrorEntry, FailureSum } from "../../api/client.ts";
import { errorsQuery, failuresQuery, LIVE_MS } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/fields.tsx";
import { formatCount, formatTime } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Pages } from "../../parts/pages.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { Ago } from "../../parts/time.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { choiceField } from "../filter-fields.tsx";
import { FilterLine } from "../filter-line.tsx";
import { useSubjectFields } from "../subject-filters.tsx";
import { useOrganizationId } from "../use-organization-id.ts";
import { timeFilter } from "../time-filter.tsx";
import { clearedOf, queryOf, useTimes } from "../time-range.ts";
import { CODES, type ErrorsSearch, readErrorsSearch } from "./search.ts";
import { LeftOut } from "./left-out.tsx";
import { ReadFrom } from "./read-from.tsx";
import { Explained } from "./explanation.tsx";

export function Errors() {
  const organizationId = useOrganizationId();
  const { request = "", ...search } = useSearch({ strict: false, select: readErrorsSearch });
  const navigate = useNavigate();
  const [text, setText] = useState(request);
  useEffect(() => setText(request), [request]);
  const explain = (event: FormEvent) => {
    event.preventDefault();
    const id = text.trim();
    void navigate({ to: ".", search: { ...search, ...(id === "" ? {} : { request: id }) } });
  };
  const filter = (change: object) =>
    void navigate({ to: ".", search: readErrorsSearch({ ...search, ...change }), replace: true });
  const subjects = useSubjectFields(organizationId, search, filter);
  const codeField = choiceField({
    name: "code",
    label: "Code",
    value: search.code,
    options: CODES.map((value) => ({ value, label: value })),
    onChange: (code) => filter({ code }),
  });
  return (
    <Screen
      title="Errors"
      about="Failed responses and rejected requests: what happened, and what would let the next one through. Of each key up to 20 rejected requests a minute are kept, for 7 days."
    >
      <form className="screen-actions request-id" onSubmit={explain}>
        <TextField label="Request id" description="x-request-id of the response" value={text} onChange={setText} />
        <Button type="submit">Explain</Button>
      </form>
      {request !== "" && <Explained organizationId={organizationId} requestId={request} />}
      <LastDay organizationId={organizationId} />
      <Section title="The latest">
        <FilterLine
          time={timeFilter(search, filter)}
          fields={[codeField, ...subjects.filter(({ name }) => name !== "member")]}
          onClear={() => filter(clearedOf(search))}
        />
        <Latest organizationId={organizationId} search={search} />
      </Section>
    </Screen>
  );
}

const KINDS = {
  failed: "response failed",
  withdrawn: "provider failed",
  rejected: "rejected",
  cancelled: "cancelled before it ran",
} as const;

/** How many failed, however they were told. */
function LastDay({ organizationId }: { organizationId: string }) {
  const manages = mayManage(useSession().role);
  const failures = useQuery({ ...failuresQuery(organizationId), refetchInterval: LIVE_MS });
  return (
    <Section title="The last 24 hours">
      {failures.data !== undefined && <ReadFrom of={failures.data} />}
      {!manages && (
        <Text size="sm" c="dimmed">
          Of rejected requests, those that are kept are counted.
        </Text>
      )}
      <Loaded query={failures}>
        {(sums) =>
          sums.total === 0 ? (
            <Empty title="No failure">
              Every request {manages ? "" : "of your keys "}of the last 24 hours got its response.
            </Empty>
          ) : (
            <DataTable
              caption={`${formatCount(sums.total)} failed ${sums.read_from === null ? "in the last 24 hours" : `since ${formatTime(sums.read_from).text}`}`}
              rows={sums.data}
              rowKey={(row: FailureSum) => [row.kind, row.code, row.model, row.provider].join(" ")}
              columns={[
                {
                  title: "Code",
                  value: ({ code }) => code ?? null,
                  cell: ({ code }) => (
                    <TextLink
                      to="/organizations/$organizationId/errors"
                      params={{ organizationId }}
                      search={code == null ? {} : { code }}
                    >
                      {code}
                    </TextLink>
                  ),
                },
                { title: "How", cell: ({ kind }) => (kind == null ? "" : KINDS[kind]) },
                { title: "Model", value: ({ model }) => model ?? null, cell: ({ model }) => model ?? "not known" },
                {
                  title: "Provider",
                  value: ({ provider }) => provider ?? null,
                  cell: ({ provider }) => provider ?? "–",
                },
                {
                  title: "Number",
                  isNumber: true,
                  value: ({ failures: count }) => count,
                  cell: ({ failures: count }) => formatCount(count),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function Latest({ organizationId, search }: { organizationId: string; search: Omit<ErrorsSearch, "request"> }) {
  const pages = useInfiniteQuery(errorsQuery(organizationId, queryOf(useTimes(search))));
  return (
    <Pages
      pages={pages}
      noun="errors"
      empty={
        <Empty title="No error">
          {Object.keys(search).length === 0
            ? "Failed responses appear here at once, rejected requests after a second."
            : "Change the filters."}
        </Empty>
      }
    >
      {(rows) => (
        <DataTable
          caption="Errors"
          isPaged
          rows={rows}
          rowKey={({ response, request_id: request, at }: ErrorEntry) => response ?? request ?? String(at)}
          columns={[
            {
              title: "When",
              value: ({ at }) => at,
              cell: (row) => <EntryLink entry={row} organizationId={organizationId} />,
            },
            { title: "Code", value: ({ code }) => code, cell: ({ code }) => <Code>{code}</Code> },
            { title: "What happened", isWide: true, isSentence: true, cell: (row) => <WhatHappened entry={row} /> },
            { title: "Model", value: ({ model }) => model, cell: ({ model }) => model ?? "" },
            { title: "Key", value: ({ key_name: name }) => name, cell: ({ key, key_name: name }) => name ?? key },
          ]}
        />
      )}
    </Pages>
  );
}

function WhatHappened({ entry: { rule, message, skipped } }: { entry: ErrorEntry }) {
  return (
    <>
      {message ?? rule}
      <LeftOut count={skipped} />
    </>
  );
}

/** To the page of the failed response, or the explanation of the request. */
function EntryLink({ entry, organizationId }: { entry: ErrorEntry; organizationId: string }) {
  const { at, response, request_id: request } = entry;
  if (response !== null) {
    return (
      <TextLink to="/organizations/$organizationId/turns/$responseId" params={{ organizationId, responseId: response }}>
        <Ago at={at} />
      </TextLink>
    );
  }
  return (
    <TextLink
      to="/organizations/$organizationId/errors"
      params={{ organizationId }}
      search={request === null ? {} : { request }}
    >
      <Ago at={at} />
    </TextLink>
  );
}
