// What the usage screens show: days, filters, and figure, time and groups of the chart and the table.
import { Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { organizationsQuery } from "../../api/queries.ts";
import { ownZone } from "../../parts/days.ts";
import { SelectField, TimeField } from "../../parts/fields.tsx";
import { choiceField } from "../filter-fields.tsx";
import { type FilterField, FilterLine } from "../filter-line.tsx";
import { modelField, useSubjectFields } from "../subject-filters.tsx";
import { DAY_RANGES, formatDays } from "./day-range.ts";
import { METRICS, type Subject, SUBJECTS, TIMES, type UsageSearch } from "./search.ts";

export type UsageChange = (change: { readonly [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }) => void;

interface ControlsProps {
  readonly organizationId: string | null;
  readonly search: UsageSearch;
  readonly onChange: UsageChange;
}

export function UsageControls({ organizationId, search, onChange }: ControlsProps) {
  const { metric, every, by, and } = search;
  const subjects = SUBJECTS.filter((subject) => organizationId === null || subject !== "organization");
  const groups = (left: Subject | "none") => ["none" as const, ...subjects.filter((subject) => subject !== left)];
  return (
    <div className="usage-controls">
      {organizationId === null ? (
        <WholeFilters search={search} onChange={onChange} />
      ) : (
        <OwnFilters organizationId={organizationId} search={search} onChange={onChange} />
      )}
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
function DaysEditor({ search: { range, from, to, zone }, onChange }: Omit<ControlsProps, "organizationId">) {
  return (
    <Stack gap="sm">
      <div className="presets" role="group" aria-label="Days">
        {DAY_RANGES.map((name) => (
          <Button
            key={name}
            size="xs"
            variant="default"
            data-closes
            aria-pressed={range === name}
            onClick={() => onChange({ range: name })}
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
        onChange={(value) => value !== "" && onChange({ range: undefined, from: value })}
      />
      <TimeField
        label="To"
        type="date"
        value={to}
        min={from}
        onChange={(value) => value !== "" && onChange({ range: undefined, to: value })}
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

/** Keys and members are those of one organization. */
function OwnFilters({ organizationId, search, onChange }: ControlsProps & { organizationId: string }) {
  return <Filters search={search} onChange={onChange} fields={useSubjectFields(organizationId, search, onChange)} />;
}

function WholeFilters({ search, onChange }: Omit<ControlsProps, "organizationId">) {
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const organization = choiceField({
    name: "organization",
    label: "Organization",
    value: search.organization,
    options: organizations.map(({ id: value, name }) => ({ value, label: name })),
    onChange: (value) => onChange({ organization: value }),
  });
  return <Filters search={search} onChange={onChange} fields={[organization, modelField(search, onChange)]} />;
}

function Filters({
  search,
  onChange,
  fields,
}: Omit<ControlsProps, "organizationId"> & { readonly fields: readonly FilterField[] }) {
  return (
    <FilterLine
      time={{
        text: search.range ?? formatDays(search),
        editor: <DaysEditor search={search} onChange={onChange} />,
        isSet: false,
      }}
      fields={fields}
      onClear={() => onChange({ model: undefined, key: undefined, member: undefined, organization: undefined })}
    />
  );
}
