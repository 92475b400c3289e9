// What the usage screens show: days, filters, and figure, time and groups of the chart and the table.
import { Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { organizationsQuery } from "../../api/queries.ts";
import { ownZone } from "../../parts/days.ts";
import { SelectField, TimeField } from "../../parts/fields.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { Choice } from "../choice.tsx";
import { type FilterField, FilterLine } from "../filter-line.tsx";
import { useNamesById } from "../names.ts";
import { KeyFilter, MemberFilter, ModelFilter } from "../subject-filters.tsx";
import { DAY_RANGES, daysOf, nameOfDays } from "./day-range.ts";
import { METRICS, type Subject, SUBJECTS, TIMES, type UsageSearch } from "./search.ts";

export type UsageChange = (change: { readonly [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }) => void;

interface ControlsProps {
  readonly id: string | null;
  readonly search: UsageSearch;
  readonly onChange: UsageChange;
}

export function UsageControls({ id, search, onChange }: ControlsProps) {
  const { metric, every, by, and } = search;
  const subjects = SUBJECTS.filter((subject) => id === null || subject !== "organization");
  const groups = (left: Subject | "none") => ["none" as const, ...subjects.filter((subject) => subject !== left)];
  return (
    <div className="usage-controls">
      <FilterLine
        time={{ text: nameOfDays(search, search.zone), editor: <DaysEditor search={search} onChange={onChange} /> }}
        fields={useFields({ id, search, onChange })}
        onClear={() => onChange({ model: undefined, key: undefined, member: undefined, organization: undefined })}
      />
      <div className="inline-fields" role="group" aria-label="Chart and table">
        <SelectField
          label="Figure"
          value={metric}
          data={METRICS.map(([value, label]) => ({ value, label }))}
          onChange={(value) => onChange({ metric: value })}
        />
        <SelectField
          label="Every"
          value={every}
          data={TIMES.map((value) => ({ value, label: value === "total" ? "no time" : value }))}
          onChange={(value) => onChange({ every: value })}
        />
        <SelectField
          label="By"
          value={by}
          data={groups("none")}
          onChange={(value) => onChange({ by: value, ...(value === "none" || value === and ? { and: "none" } : {}) })}
        />
        {by !== "none" && (
          <SelectField label="And by" value={and} data={groups(by)} onChange={(value) => onChange({ and: value })} />
        )}
      </div>
    </div>
  );
}

/** Days by a word, or from one to another, in a zone. */
function DaysEditor({ search: { from, to, zone }, onChange }: Omit<ControlsProps, "id">) {
  return (
    <Stack gap="sm">
      <div className="presets" role="group" aria-label="Days">
        {DAY_RANGES.map((name) => (
          <Button
            key={name}
            size="xs"
            variant="default"
            data-closes
            aria-pressed={nameOfDays({ from, to }, zone) === name}
            onClick={() => onChange(daysOf(name, zone))}
          >
            {name}
          </Button>
        ))}
      </div>
      <TimeField
        label="From"
        type="date"
        value={from}
        max={to}
        onChange={(value) => value !== "" && onChange({ from: value })}
      />
      <TimeField
        label="To"
        type="date"
        value={to}
        min={from}
        onChange={(value) => value !== "" && onChange({ to: value })}
      />
      <SelectField
        label="Time zone"
        value={zone}
        data={[...new Set([ownZone(), "UTC", zone])]}
        onChange={(value) => onChange({ zone: value })}
      />
    </Stack>
  );
}

/** Keys and members are those of one organization: their filters are on its screen. */
function useFields({ id, search, onChange }: ControlsProps): readonly FilterField[] {
  const manages = mayManage(useSession().role);
  const names = useNamesById(id);
  const { data: organizations = [] } = useQuery({ ...organizationsQuery, enabled: id === null });
  const field = (name: Subject, label: string, editor: FilterField["editor"]): FilterField => {
    const chosen = search[name];
    const text = chosen === undefined ? undefined : (names.get(chosen) ?? (chosen === "none" ? "none" : chosen));
    return { name, label, text, editor, clear: () => onChange({ [name]: undefined }) };
  };
  const model = field("model", "Model", <ModelFilter search={search} onChange={onChange} />);
  if (id === null) {
    const choice = (
      <Choice
        label="Organization"
        value={search.organization}
        options={organizations.map(({ id: value, name }) => ({ value, label: name }))}
        onChange={(organization) => onChange({ organization })}
      />
    );
    return [field("organization", "Organization", choice), model];
  }
  return [
    model,
    field("key", "Key", <KeyFilter id={id} search={search} onChange={onChange} />),
    ...(manages ? [field("member", "Member", <MemberFilter id={id} search={search} onChange={onChange} />)] : []),
  ];
}
