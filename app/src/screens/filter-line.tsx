// Filters in one line: the time, a chip for each filter that is set, and a button that adds one. On a phone a sheet.
import { Stack, UnstyledButton } from "@mantine/core";
import IconCalendar from "@tabler/icons-react/icons/IconCalendar";
import IconPlus from "@tabler/icons-react/icons/IconPlus";
import IconX from "@tabler/icons-react/icons/IconX";
import { type ReactNode, useState } from "react";
import { Popover } from "../parts/popover.tsx";
import { FilterSheet, useIsPhone } from "./filter-sheet.tsx";

export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** What is chosen, in words; undefined: nothing. */
  readonly text: string | undefined;
  readonly editor: ReactNode;
  readonly clear: () => void;
}

export interface TimeFilter {
  /** The chosen times in words. */
  readonly text: string;
  readonly editor: ReactNode;
  /** Whether the times are a filter, which counts and is lifted with the others. */
  readonly isSet: boolean;
}

export function FilterLine({
  time,
  fields,
  onClear,
}: {
  /** Absent on a screen without times. */
  time?: TimeFilter;
  fields: readonly FilterField[];
  onClear: () => void;
}) {
  const isPhone = useIsPhone();
  const set = fields.filter(({ text }) => text !== undefined);
  const count = set.length + (time?.isSet === true ? 1 : 0);
  const clear = count > 0 && (
    <UnstyledButton className="tool-button" onClick={onClear}>
      Clear the filters
    </UnstyledButton>
  );
  if (isPhone) {
    return (
      <FilterSheet count={count} time={time?.text}>
        {time?.editor}
        {fields.map(({ name, editor }) => (
          <div key={name}>{editor}</div>
        ))}
        {clear}
      </FilterSheet>
    );
  }
  return (
    <div className="filter-line" role="group" aria-label="Filters">
      {time !== undefined && (
        <Popover
          className="tool-button"
          label={`Time: ${time.text}`}
          button={
            <>
              <IconCalendar size={15} aria-hidden />
              {time.text.replace(/^./, (letter) => letter.toUpperCase())}
            </>
          }
        >
          {time.editor}
        </Popover>
      )}
      {set.map((field) => (
        <Chip key={field.name} field={field} />
      ))}
      {set.length < fields.length && (
        <Popover
          className="tool-button"
          button={
            <>
              <IconPlus size={15} aria-hidden />
              Add filter
            </>
          }
        >
          <Unset fields={fields} />
        </Popover>
      )}
      {clear}
    </div>
  );
}

function Chip({ field: { label, text, editor, clear } }: { field: FilterField }) {
  return (
    <span className="chip">
      <Popover className="chip-text" button={`${label}: ${text}`}>
        {editor}
      </Popover>
      <UnstyledButton className="chip-remove" aria-label={`Remove the filter ${label}`} onClick={clear}>
        <IconX size={13} aria-hidden />
      </UnstyledButton>
    </span>
  );
}

/** The fields that are not set when it opens. One that is set meanwhile stays: its letters may still be typed. */
function Unset({ fields }: { fields: readonly FilterField[] }) {
  const [names] = useState(() => fields.filter(({ text }) => text === undefined).map(({ name }) => name));
  return (
    <Stack gap="sm">
      {fields
        .filter(({ name }) => names.includes(name))
        .map(({ name, editor }) => (
          <div key={name}>{editor}</div>
        ))}
    </Stack>
  );
}
