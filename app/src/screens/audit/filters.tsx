// The filters above the audit log.
import { Choice } from "../choice.tsx";
import { FilterBar } from "../filter-bar.tsx";
import { useNames, useNamesById } from "../names.ts";
import { TextFilter } from "../text-filter.tsx";
import { ACTIONS, actionWords } from "./actions.ts";
import type { AuditChange, AuditSearch } from "./search.ts";

export function Filters({
  organizationId,
  search,
  onChange,
}: {
  organizationId: string | null;
  search: AuditSearch;
  onChange: (change: AuditChange) => void;
}) {
  const names = useNamesById(organizationId);
  const named = useNames(organizationId);
  /** Names that people may choose; organizations are neither actors nor targets. */
  const suggestions = organizationId === null ? [] : [...new Set(names.values())];
  /** The id of a name; a name of several, and any other text, stays. */
  const idOf = (text: string | undefined) => {
    const [id, ...others] = [...names].filter(([, name]) => name === text).map(([each]) => each);
    return others.length === 0 ? (id ?? text) : text;
  };
  const filter = (name: "actor" | "target", label: string) => (
    <TextFilter
      label={label}
      placeholder="any, or a name or id"
      value={search[name] && named(search[name])}
      suggestions={suggestions}
      onChange={(text) => onChange({ [name]: idOf(text) })}
    />
  );
  return (
    <FilterBar search={search} onChange={onChange}>
      <Choice
        label="Action"
        value={search.action}
        options={ACTIONS.map((action) => ({ value: action, label: actionWords(action) }))}
        onChange={(action) => onChange({ action })}
      />
      {filter("actor", "Who")}
      {filter("target", "On")}
    </FilterBar>
  );
}
