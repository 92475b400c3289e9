// The filters above the log of turns.
import { Button, Stack } from "@mantine/core";
import { localInputOf, ownZone, timeOfLocalInput } from "../../parts/days.ts";
import { TimeField } from "../../parts/fields.tsx";
import { choiceField, typedField } from "../filter-fields.tsx";
import { FilterLine } from "../filter-line.tsx";
import { useSubjectFields } from "../subject-filters.tsx";
import { nameOfRange, RANGES, rangeOf } from "./time-range.ts";
import { FAILURE_CODES, NONE, STATUSES, type TurnsChange, type TurnsSearch } from "./search.ts";

const ANY_OR_NONE = "any, or none";

const statusWords = (status: string) => (status === "failed" ? "failed (every code)" : status.replace("_", " "));

/** An end user as a filter: by the hash that the log shows, or by what clients send. */
function endUserOf(text: string | undefined): Pick<TurnsChange, "end_user" | "safety_identifier"> {
  const isHash = text === NONE || /^[0-9a-f]{32}$/.test(text ?? "");
  return isHash ? { end_user: text, safety_identifier: undefined } : { end_user: undefined, safety_identifier: text };
}

interface FiltersProps {
  readonly search: TurnsSearch;
  readonly onChange: (change: TurnsChange) => void;
}

export function Filters({ organizationId, search, onChange }: FiltersProps & { organizationId: string }) {
  const subjects = useSubjectFields(organizationId, search, onChange);
  const choice = (
    name: "status" | "failure_code",
    label: string,
    values: readonly string[],
    wordsOf: (value: string) => string,
  ) =>
    choiceField({
      name,
      label,
      value: search[name],
      options: values.map((value) => ({ value, label: wordsOf(value) })),
      onChange: (value) => onChange({ [name]: value }),
    });
  const typed = (
    name: string,
    label: string,
    value: string | undefined,
    changeOf: (text: string | undefined) => TurnsChange,
  ) => typedField({ name, label, placeholder: ANY_OR_NONE, value, onChange: (text) => onChange(changeOf(text)) });
  return (
    <FilterLine
      time={{
        text: nameOfRange(search, ownZone()) ?? "any time",
        editor: <TimeEditor search={search} onChange={onChange} />,
        isSet: search.from !== undefined || search.to !== undefined,
      }}
      fields={[
        choice("status", "Status", STATUSES, statusWords),
        ...subjects,
        choice("failure_code", "Failure", FAILURE_CODES, (code) => code),
        typed("conversation", "Conversation", search.conversation, (conversation) => ({ conversation })),
        typed("end_user", "End user", search.end_user ?? search.safety_identifier, endUserOf),
        typed("label", "Label", search.label, (label) => ({ label })),
      ]}
      onClear={() => onChange(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}
    />
  );
}

/** Times by a word, or from one to another. */
function TimeEditor({ search, onChange }: FiltersProps) {
  const zone = ownZone();
  const chosen = nameOfRange(search, zone);
  const preset = (name: string, isPressed: boolean, range: TurnsChange) => (
    <Button
      key={name}
      size="xs"
      variant="default"
      data-closes
      aria-pressed={isPressed}
      onClick={() => onChange({ from: undefined, to: undefined, ...range })}
    >
      {name}
    </Button>
  );
  const time = (name: "from" | "to", label: string) => (
    <TimeField
      label={label}
      type="datetime-local"
      value={search[name] === undefined ? "" : localInputOf(search[name])}
      onChange={(value) => onChange({ [name]: timeOfLocalInput(value) })}
    />
  );
  return (
    <Stack gap="sm">
      <div className="presets" role="group" aria-label="Times">
        {preset("any time", chosen === null, {})}
        {RANGES.map((name) => preset(name, chosen === name, rangeOf(name, zone)))}
      </div>
      {time("from", "From")}
      {time("to", "Before")}
    </Stack>
  );
}
