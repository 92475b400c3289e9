import { Button, Table } from "@mantine/core";
import IconArrowDown from "@tabler/icons-react/icons/IconArrowDown";
import IconArrowUp from "@tabler/icons-react/icons/IconArrowUp";
import { type ReactNode, useState } from "react";
import { formatCount } from "./format.ts";
import { nextSorting, sortRows, type Sorting, type SortValue } from "./sort.ts";

/** Rows that are shown at first, and added by each press: a browser needs seconds for ten thousand. */
const ROWS_A_STEP = 200;

/** So many columns fit a phone. */
const COLUMNS_OF_A_PHONE = 3;

/** The title of the column that has what can be done to a row. It stands at the end of a row, and at the top of a card. */
export const ACTIONS = "Actions";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** What the rows are sorted by and, if it is a text, found by. */
  readonly value?: (row: Row) => SortValue;
  /** Numbers are aligned at their last digit. */
  readonly isNumber?: boolean;
  /** A text that takes the room that is left; what is longer ends in "…". */
  readonly isWide?: boolean;
  /** On a phone it has as many lines as it needs. */
  readonly isSentence?: boolean;
  /** Left out on a phone. */
  readonly isMinor?: boolean;
  /** Hidden until a person shows it (`ListTable`). */
  readonly isOptional?: boolean;
}

export interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The last row. */
  readonly total?: Row | undefined;
  /** The screen reads the rows page by page, so that all of them are meant to be seen. */
  readonly isPaged?: boolean;
  /** What stands at the end of the titles. */
  readonly corner?: ReactNode;
}

/**
 * A table: a line a row, sorted by a press on a title. In a narrow window each row of many columns is a card. A table
 * that is still too wide scrolls sideways, also by keyboard. A long one is shown in steps.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  total,
  isPaged = false,
  corner,
}: DataTableProps<Row>) {
  const [steps, setSteps] = useState(1);
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const sortedBy = columns.find(({ title, value }) => value !== undefined && title === sorting?.title)?.value;
  const sorted = sortedBy === undefined ? rows : sortRows(rows, sortedBy, sorting?.isDescending === true);
  const shown = isPaged ? sorted : sorted.slice(0, steps * ROWS_A_STEP);
  const isMany = columns.length > COLUMNS_OF_A_PHONE || columns.some(({ isSentence }) => isSentence === true);
  const hasCornerColumn = corner !== undefined && columns.every(({ title }) => title !== ACTIONS);
  return (
    <div className={isMany ? "table-scroll many" : "table-scroll"} role="region" aria-label={caption} tabIndex={0}>
      <Table highlightOnHover aria-label={caption}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Title key={column.title} column={column} sorting={sorting} onSort={setSorting} corner={corner} />
            ))}
            {hasCornerColumn && <Table.Td className="actions corner">{corner}</Table.Td>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map((column) => (
                <Table.Td
                  key={column.title}
                  className={classOf(column)}
                  data-label={column.title}
                  title={wholeOf(column, row)}
                >
                  {column.cell(row)}
                </Table.Td>
              ))}
              {hasCornerColumn && <Table.Td className="actions corner" />}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {total !== undefined && (
          <Table.Tfoot>
            <Table.Tr>
              {columns.map((column, index) => (
                <Table.Td key={column.title} className={classOf(column)} data-label={column.title}>
                  {index === 0 ? "Total" : column.cell(total)}
                </Table.Td>
              ))}
              {hasCornerColumn && <Table.Td className="actions corner" />}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
      {isPaged && sorting !== null && (
        <p className="table-note">
          The {formatCount(rows.length)} rows that are shown, by {sorting.title.toLowerCase()}.
        </p>
      )}
      {shown.length < rows.length && (
        <Button m="sm" variant="default" onClick={() => setSteps(steps + 1)}>
          Show more: {formatCount(shown.length)} of {formatCount(rows.length)} are shown
        </Button>
      )}
    </div>
  );
}

/** The title of a column: a button that sorts, if the column has values. */
function Title<Row>({
  column,
  sorting,
  onSort,
  corner,
}: {
  column: Column<Row>;
  corner: ReactNode;
  sorting: Sorting | null;
  onSort: (sorting: Sorting | null) => void;
}) {
  const { title, value, isNumber = false } = column;
  const own = sorting?.title === title ? sorting : null;
  const Arrow = own?.isDescending === true ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th
      scope="col"
      className={classOf(column)}
      {...(own === null ? {} : { "aria-sort": own.isDescending ? "descending" : "ascending" })}
    >
      {value === undefined ? (
        <>
          <span className={title === ACTIONS ? "for-readers" : ""}>{title}</span>
          {title === ACTIONS && corner}
        </>
      ) : (
        <button type="button" className="sort" onClick={() => onSort(nextSorting(sorting, title, isNumber))}>
          {title}
          <Arrow size={13} className={own === null ? "sort-arrow" : "sort-arrow sort-arrow-on"} aria-hidden />
        </button>
      )}
    </Table.Th>
  );
}

function classOf<Row>({ title, isNumber, isWide, isSentence, isMinor }: Column<Row>): string {
  const kinds = { actions: title === ACTIONS, number: isNumber, wide: isWide, sentence: isSentence, minor: isMinor };
  return Object.entries(kinds)
    .filter(([, isOfKind]) => isOfKind === true)
    .map(([kind]) => kind)
    .join(" ");
}

/** The text of a cell on hover, where it may end in "…". */
function wholeOf<Row>({ value }: Column<Row>, row: Row): string | undefined {
  const text = value?.(row);
  return typeof text === "string" ? text : undefined;
}
