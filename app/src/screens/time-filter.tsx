// The filter of a time: by a word, or from one to another.
import { Button, Stack } from "@mantine/core";
import { localInputOf, ownZone, timeOfLocalInput } from "../parts/days.ts";
import { TimeField } from "../parts/fields.tsx";
import type { TimeFilter } from "./filter-line.tsx";
import { nameOfTimes, RANGES, rangeOf, type TimesSearch } from "./time-range.ts";

type Change = (change: { readonly [Name in keyof TimesSearch]: string | undefined }) => void;

/** The filter for a line of filters. */
export function timeFilter(search: TimesSearch, onChange: Change): TimeFilter {
  const text = nameOfTimes(search);
  return {
    text: text ?? "any time",
    editor: <TimeEditor search={search} onChange={onChange} />,
    isSet: text !== null,
  };
}

function TimeEditor({ search, onChange }: { search: TimesSearch; onChange: Change }) {
  const { range, ...times } = search;
  const shown = range === undefined ? times : rangeOf(range, ownZone());
  const preset = (name: string, isPressed: boolean, chosen: string | undefined) => (
    <Button
      key={name}
      size="xs"
      variant="default"
      data-closes
      aria-pressed={isPressed}
      onClick={() => onChange({ range: chosen, from: undefined, to: undefined })}
    >
      {name}
    </Button>
  );
  const time = (name: "from" | "to", label: string) => (
    <TimeField
      label={label}
      type="datetime-local"
      value={shown[name] === undefined ? "" : localInputOf(shown[name])}
      onChange={(value) => onChange({ range: undefined, ...shown, [name]: timeOfLocalInput(value) })}
    />
  );
  return (
    <Stack gap="sm">
      <div className="presets" role="group" aria-label="Times">
        {preset("any time", nameOfTimes(search) === null, undefined)}
        {RANGES.map((name) => preset(name, range === name, name))}
      </div>
      {time("from", "From")}
      {time("to", "Before")}
    </Stack>
  );
}
