// A table with a search, and with columns that a person can hide; this browser keeps which.
import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import IconColumns3 from "@tabler/icons-react/icons/IconColumns3";
import IconSearch from "@tabler/icons-react/icons/IconSearch";
import { useState } from "react";
import { ACTIONS, DataTable, type DataTableProps } from "./data-table.tsx";
import { Popover } from "./popover.tsx";
import { findRows } from "./sort.ts";

/** Fewer rows are seen at a glance. */
const ROWS_TO_SEARCH = 7;

/** Fewer columns are no choice. */
const COLUMNS_TO_CHOOSE = 4;

/** A table of things; the parts that a screen of figures does not need. */
export function ListTable<Row>({
  find,
  columns,
  rows,
  rowKey,
  caption,
  ...table
}: DataTableProps<Row> & {
  /** What the search is called, such as "Find a key"; none without it. */
  readonly find?: string;
}) {
  const [text, setText] = useState("");
  const { isHidden, choose } = useHidden(caption);
  const valuesOf = (row: Row) => [rowKey(row), ...columns.map(({ value }) => value?.(row) ?? null)];
  const found = findRows(rows, valuesOf, text);
  const choices = columns.slice(1).filter(({ title }) => title !== ACTIONS);
  const hasChoice = choices.length >= COLUMNS_TO_CHOOSE;
  const hasSearch = find !== undefined && (rows.length > ROWS_TO_SEARCH || text !== "");
  return (
    <div className="list">
      {hasSearch && (
        <TextInput
          className="list-search"
          type="search"
          aria-label={find}
          placeholder={find}
          leftSection={<IconSearch size={15} aria-hidden />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {found.length === 0 && text !== "" ? (
        <Text size="sm" role="status">
          Nothing here has “{text.trim()}”.
        </Text>
      ) : (
        <DataTable
          {...table}
          caption={caption}
          columns={columns.filter((column) => !isHidden(column))}
          rows={found}
          rowKey={rowKey}
          {...(hasChoice && {
            corner: (
              <Popover
                isAtEnd
                className="row-menu list-columns"
                label={`Columns of ${caption}`}
                button={<IconColumns3 size={16} aria-hidden />}
              >
                <Stack gap={6} p={4}>
                  {choices.map((column) => (
                    <Checkbox
                      key={column.title}
                      size="xs"
                      label={column.title}
                      checked={!isHidden(column)}
                      onChange={({ currentTarget }) => choose(column.title, currentTarget.checked)}
                    />
                  ))}
                </Stack>
              </Popover>
            ),
          })}
        />
      )}
    </div>
  );
}

/** By the titles of columns, whether a person has shown (true) or hidden them. */
type Choices = Readonly<Record<string, boolean>>;

function useHidden(caption: string) {
  const place = `turngate.columns.${caption}`;
  const [chosen, setChosen] = useState<Choices>(() => readChoices(place));
  return {
    isHidden: ({ title, isOptional = false }: { title: string; isOptional?: boolean }) => {
      return !(chosen[title] ?? !isOptional);
    },
    choose(title: string, isShown: boolean) {
      const next = { ...chosen, [title]: isShown };
      setChosen(next);
      localStorage.setItem(place, JSON.stringify(next));
    },
  };
}

function readChoices(place: string): Choices {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Choices) : {};
  } catch {
    return {};
  }
}
