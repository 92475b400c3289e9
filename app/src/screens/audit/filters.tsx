// The filters above the audit log.
import { Choice } from "../choice.tsx";
import { type FilterField, FilterLine } from "../filter-line.tsx";
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
  const typed = (name: "actor" | "target", label: string): FilterField => {
    const text = search[name] && named(search[name]);
    return {
      name,
      label,
      text,
      editor: (
        <TextFilter
          label={label}
          placeholder="any, or a name or id"
          value={text}
          suggestions={suggestions}
          onChange={(chosen) => onChange({ [name]: idOf(chosen) })}
        />
      ),
      clear: () => onChange({ [name]: undefined }),
    };
  };
  const action: FilterField = {
    name: "action",
    label: "Action",
    text: search.action && actionWords(search.action),
    editor: (
      <Choice
        label="Action"
        value={search.action}
        options={ACTIONS.map((each) => ({ value: each, label: actionWords(each) }))}
        onChange={(chosen) => onChange({ action: chosen })}
      />
    ),
    clear: () => onChange({ action: undefined }),
  };
  return (
    <FilterLine
      fields={[action, typed("actor", "Who"), typed("target", "On")]}
      onClear={() => onChange({ action: undefined, actor: undefined, target: undefined })}
    />
  );
}
