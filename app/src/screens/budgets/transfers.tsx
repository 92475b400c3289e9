// The transfers of the ledger: what moved credits, newest first.
import { Checkbox } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Transfer } from "../../api/client.ts";
import { transfersQuery } from "../../api/queries.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Id } from "../../parts/id.tsx";
import { TextLink } from "../../parts/link.tsx";
import { Pages } from "../../parts/pages.tsx";
import { Section } from "../../parts/screen.tsx";
import { Ago } from "../../parts/time.tsx";
import { Credits } from "../../parts/money.tsx";

const KINDS: Readonly<Record<Transfer["kind"], string>> = {
  topup: "top-up",
  hold: "held when a response began",
  extend: "held beyond that",
  shortfall: "paid by the service",
  settle: "charged for a response",
  release: "given back by a response",
  void: "given back, nothing was charged",
};

/** The transfers of an organization. */
export function Transfers({ organizationId }: { organizationId: string }) {
  const [topUpsOnly, setTopUpsOnly] = useState(false);
  const pages = useInfiniteQuery(transfersQuery(organizationId, topUpsOnly ? "topup" : undefined));
  return (
    <Section
      title="Transfers"
      actions={
        <Checkbox
          label="Top-ups only"
          checked={topUpsOnly}
          onChange={({ currentTarget }) => setTopUpsOnly(currentTarget.checked)}
        />
      }
    >
      <Pages
        pages={pages}
        noun="transfers"
        empty={
          <Empty title="No transfer">
            {pages.hasNextPage ? "Older ones have not been read yet." : "An operator adds credits."}
          </Empty>
        }
      >
        {(rows) => <TransferTable organizationId={organizationId} transfers={rows} />}
      </Pages>
    </Section>
  );
}

/** Transfers; with an organization, each leads to its turn. */
export function TransferTable({
  organizationId,
  transfers,
}: {
  organizationId?: string;
  transfers: readonly Transfer[];
}) {
  return (
    <DataTable
      isPaged
      caption="Transfers"
      rows={transfers}
      rowKey={({ id }) => String(id)}
      columns={[
        { title: "When", value: ({ at }) => at, cell: ({ at }) => <Ago at={at} /> },
        { title: "What", isWide: true, value: ({ kind }) => KINDS[kind], cell: ({ kind }) => KINDS[kind] },
        { title: "From", cell: ({ from }) => from },
        { title: "To", cell: ({ to }) => to },
        {
          title: "Credits",
          isNumber: true,
          value: ({ amount }) => amount,
          cell: ({ amount }) => <Credits amount={amount} />,
        },
        ...(organizationId === undefined ? [] : [ofTurn(organizationId)]),
      ]}
    />
  );
}

/** The turn of a transfer, or the transaction of a top-up. */
function ofTurn(organizationId: string): Column<Transfer> {
  return {
    title: "Of",
    cell: ({ response, transaction_id: transaction }) =>
      response === null ? (
        transaction
      ) : (
        <Id
          id={response}
          link={(short) => (
            <TextLink
              to="/organizations/$organizationId/turns/$responseId"
              params={{ organizationId, responseId: response }}
            >
              {short}
            </TextLink>
          )}
        />
      ),
  };
}
