// What the usage screens show: figure, time, groups, days, zone and filters.
import { useQuery } from "@tanstack/react-query";
import { organizationsQuery } from "../../api/queries.ts";
import { ownZone } from "../../parts/days.ts";
import { SelectField, TimeField } from "../../parts/fields.tsx";
import { Choice } from "../choice.tsx";
import { ModelFilter, SubjectFilters } from "../subject-filters.tsx";
import { METRICS, type Subject, SUBJECTS, TIMES, type UsageSearch } from "./search.ts";

export type UsageChange = (change: { readonly [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }) => void;

interface ControlsProps {
  readonly id: string | null;
  readonly search: UsageSearch;
  readonly onChange: UsageChange;
}

export function UsageControls({ id, search, onChange }: ControlsProps) {
  const { metric, every, by, and, from, to, zone } = search;
  const subjects = SUBJECTS.filter((subject) => id === null || subject !== "organization");
  const groups = (left: Subject | "none") => ["none" as const, ...subjects.filter((subject) => subject !== left)];
  return (
    <>
      <div className="screen-actions" role="group" aria-label="Chart and table">
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
      </div>
      <div className="screen-actions" role="group" aria-label="Filters">
        {id === null ? (
          <OfAllFilters search={search} onChange={onChange} />
        ) : (
          <SubjectFilters id={id} search={search} onChange={onChange} />
        )}
      </div>
    </>
  );
}

/** Keys and members are those of one organization: their filters are on its screen. */
function OfAllFilters({ search, onChange }: Pick<ControlsProps, "search" | "onChange">) {
  const { data: organizations = [] } = useQuery(organizationsQuery);
  return (
    <>
      <Choice
        label="Organization"
        value={search.organization}
        options={organizations.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(organization) => onChange({ organization })}
      />
      <ModelFilter search={search} onChange={onChange} />
    </>
  );
}
