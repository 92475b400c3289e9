// The filters above the log of turns: the usual ones in a line, and the others behind a button.
import { Stack } from "@mantine/core";
import IconFilter from "@tabler/icons-react/icons/IconFilter";
import { localInputOf, ownZone, timeOfLocalInput } from "../../parts/days.ts";
import { TimeField } from "../../parts/fields.tsx";
import { Choice } from "../choice.tsx";
import { FilterBar } from "../filter-bar.tsx";
import { Popover } from "../../parts/popover.tsx";
import { KeyFilter, MemberFilter, ModelFilter } from "../subject-filters.tsx";
import { TextFilter } from "../text-filter.tsx";
import { nameOfRange, RANGES, rangeOf } from "./time-range.ts";
import { FAILURE_CODES, NONE, STATUSES, type TurnsChange, type TurnsSearch } from "./search.ts";

/** The filters behind the button, besides the times. */
const MORE = ["member", "failure_code", "conversation", "end_user", "safety_identifier", "label"] as const;

const ANY_OR_NONE = "any, or none";

/** An end user as a filter: by the hash that the log shows, or by what clients send. */
function endUserOf(text: string | undefined): Pick<TurnsChange, "end_user" | "safety_identifier"> {
  const isHash = text === NONE || /^[0-9a-f]{32}$/.test(text ?? "");
  return isHash ? { end_user: text, safety_identifier: undefined } : { end_user: undefined, safety_identifier: text };
}

export function Filters({
  id,
  search,
  onChange,
}: {
  id: string;
  search: TurnsSearch;
  onChange: (change: TurnsChange) => void;
}) {
  const zone = ownZone();
  const range = nameOfRange(search, zone);
  const time = (name: "from" | "to", label: string) => (
    <TimeField
      label={label}
      type="datetime-local"
      value={search[name] === undefined ? "" : localInputOf(search[name])}
      onChange={(value) => onChange({ [name]: timeOfLocalInput(value) })}
    />
  );
  const more = MORE.filter((name) => search[name] !== undefined).length;
  return (
    <FilterBar search={search} onChange={onChange}>
      <Choice
        label="Time"
        value={range ?? undefined}
        options={RANGES.map((name) => ({ value: name, label: name }))}
        onChange={(name) => {
          const known = RANGES.find((each) => each === name);
          // The name of other times is chosen already.
          if (name === undefined || known !== undefined) {
            onChange({ from: undefined, to: undefined, ...(known === undefined ? {} : rangeOf(known, zone)) });
          }
        }}
      />
      <ModelFilter search={search} onChange={onChange} />
      <KeyFilter id={id} search={search} onChange={onChange} />
      <Choice
        label="Status"
        value={search.status}
        options={STATUSES.map((status) => ({
          value: status,
          label: status === "failed" ? "failed (every code)" : status.replace("_", " "),
        }))}
        onChange={(status) => onChange({ status })}
      />
      <Popover
        className="tool-button"
        button={
          <>
            <IconFilter size={16} aria-hidden />
            More filters{more > 0 && ` (${more})`}
          </>
        }
      >
        <Stack gap="sm">
          {time("from", "From")}
          {time("to", "Before")}
          <MemberFilter id={id} search={search} onChange={onChange} />
          <Choice
            label="Failure"
            value={search.failure_code}
            options={FAILURE_CODES.map((code) => ({ value: code, label: code }))}
            onChange={(code) => onChange({ failure_code: code })}
          />
          <TextFilter
            label="Conversation"
            placeholder={ANY_OR_NONE}
            value={search.conversation}
            onChange={(conversation) => onChange({ conversation })}
          />
          <TextFilter
            label="End user"
            placeholder={ANY_OR_NONE}
            value={search.end_user ?? search.safety_identifier}
            onChange={(text) => onChange(endUserOf(text))}
          />
          <TextFilter
            label="Label"
            placeholder={ANY_OR_NONE}
            value={search.label}
            onChange={(label) => onChange({ label })}
          />
        </Stack>
      </Popover>
    </FilterBar>
  );
}
