// The filters above the audit log.
import { choiceField, typedField } from "../filter-fields.tsx";
import { FilterLine } from "../filter-line.tsx";
import { useNames, useNamesById } from "../names.ts";
import { timeFilter } from "../time-filter.tsx";
import { clearedOf } from "../time-range.ts";
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
  const typed = (name: "actor" | "target", label: string) =>
    typedField({
      name,
      label,
      placeholder: "any, or a name or id",
      value: search[name] && named(search[name]),
      suggestions,
      onChange: (chosen) => onChange({ [name]: idOf(chosen) }),
    });
  const action = choiceField({
    name: "action",
    label: "Action",
    value: search.action,
    options: ACTIONS.map((each) => ({ value: each, label: actionWords(each) })),
    onChange: (chosen) => onChange({ action: chosen }),
  });
  return (
    <FilterLine
      time={timeFilter(search, onChange)}
      fields={[action, typed("actor", "Who"), typed("target", "On")]}
      onClear={() => onChange(clearedOf(search))}
    />
  );
}
