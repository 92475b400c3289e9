import { Button, Table } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatCount } from "./format.ts";

/** Rows that are shown at first, and added by each press: a browser needs seconds for ten thousand. */
const ROWS_A_STEP = 200;

/** So many columns fit a phone. */
const COLUMNS_OF_A_PHONE = 3;

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned at their last digit. */
  readonly isNumber?: boolean;
  /** Texts of many words keep room for some of them on a line. */
  readonly isWide?: boolean;
}

/**
 * A table. In a narrow window, each row of many columns is a list of names and values. A table that is still too wide
 * scrolls sideways, also by keyboard. A long one is shown in steps.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  total,
  isPaged = false,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The last row. */
  total?: Row | undefined;
  /** The screen reads the rows page by page, so that all of them are meant to be seen. */
  isPaged?: boolean;
}) {
  const [steps, setSteps] = useState(1);
  const shown = isPaged ? rows : rows.slice(0, steps * ROWS_A_STEP);
  const className = ({ isNumber = false, isWide = false }: Column<Row>) => (isNumber ? "number" : isWide ? "wide" : "");
  return (
    <div
      className={columns.length > COLUMNS_OF_A_PHONE ? "table-scroll many" : "table-scroll"}
      role="region"
      aria-label={caption}
      tabIndex={0}
    >
      <Table striped verticalSpacing="xs" aria-label={caption}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.title} scope="col" className={className(column)}>
                {column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map((column) => (
                <Table.Td key={column.title} className={className(column)} data-label={column.title}>
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {total !== undefined && (
          <Table.Tfoot>
            <Table.Tr>
              {columns.map((column, index) => (
                <Table.Td key={column.title} className={className(column)} data-label={column.title}>
                  {index === 0 ? "Total" : column.cell(total)}
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
      {shown.length < rows.length && (
        <Button m="sm" variant="default" onClick={() => setSteps(steps + 1)}>
          Show more: {formatCount(shown.length)} of {formatCount(rows.length)} are shown
        </Button>
      )}
    </div>
  );
}
