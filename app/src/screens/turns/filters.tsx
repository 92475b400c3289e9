// The filters above the log of turns.
import { choiceField, typedField } from "../filter-fields.tsx";
import { FilterLine } from "../filter-line.tsx";
import { useSubjectFields } from "../subject-filters.tsx";
import { timeFilter } from "../time-filter.tsx";
import { clearedOf } from "../time-range.ts";
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
      time={timeFilter(search, onChange)}
      fields={[
        choice("status", "Status", STATUSES, statusWords),
        ...subjects,
        choice("failure_code", "Failure", FAILURE_CODES, (code) => code),
        typed("conversation", "Conversation", search.conversation, (conversation) => ({ conversation })),
        typed("end_user", "End user", search.end_user ?? search.safety_identifier, endUserOf),
        typed("label", "Label", search.label, (label) => ({ label })),
      ]}
      onClear={() => onChange(clearedOf(search))}
    />
  );
}
