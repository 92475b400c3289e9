// The filters above the log of turns.
import { Button, TextInput } from "@mantine/core";
import { localInputOf, timeOfLocalInput } from "../../parts/days.ts";
import { Choice } from "../choice.tsx";
import { SubjectFilters } from "../subject-filters.tsx";
import { FAILURE_CODES, STATUSES, type TurnsSearch } from "./search.ts";

export function Filters({
  id,
  search,
  onChange,
}: {
  id: string;
  search: TurnsSearch;
  onChange: (change: Partial<Record<keyof TurnsSearch, string | undefined>>) => void;
}) {
  const time = (name: "from" | "to", label: string) => (
    <TextInput
      label={label}
      type="datetime-local"
      value={search[name] === undefined ? "" : localInputOf(search[name])}
      onChange={({ currentTarget }) => onChange({ [name]: timeOfLocalInput(currentTarget.value) })}
    />
  );
  return (
    <div className="screen-actions" role="group" aria-label="Filters">
      {time("from", "From")}
      {time("to", "Before")}
      <SubjectFilters id={id} search={search} onChange={onChange} />
      <Choice
        label="Status"
        value={search.status}
        options={STATUSES.map((status) => ({
          value: status,
          label: status === "failed" ? "failed (every code)" : status.replace("_", " "),
        }))}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label="Failure"
        value={search.failure_code}
        options={FAILURE_CODES.map((code) => ({ value: code, label: code }))}
        onChange={(code) => onChange({ failure_code: code })}
      />
      {search.conversation !== undefined && (
        <Choice
          label="Conversation"
          value={search.conversation}
          options={[]}
          onChange={(conversation) => onChange({ conversation })}
        />
      )}
      {Object.keys(search).length > 0 && (
        <Button
          variant="default"
          onClick={() => onChange(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}
        >
          Clear the filters
        </Button>
      )}
    </div>
  );
}
