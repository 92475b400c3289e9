// The filters of a model, a key and a member, which several screens share.
import { useQuery } from "@tanstack/react-query";
import { keysQuery, membersQuery, namedModelsQuery } from "../api/queries.ts";
import { mayManage } from "../session/roles.ts";
import { useSession } from "../session/session.ts";
import { Choice, type ChoiceOption } from "./choice.tsx";
import { choiceField } from "./filter-fields.tsx";
import type { FilterField } from "./filter-line.tsx";

export interface Subjects {
  readonly model?: string;
  readonly key?: string;
  readonly member?: string;
}

type Change = (change: Partial<Record<keyof Subjects, string | undefined>>) => void;

/** A model. */
function ModelFilter({ search, onChange }: { search: Subjects; onChange: Change }) {
  const { data: models = [] } = useQuery(namedModelsQuery);
  return (
    <Choice
      label="Model"
      value={search.model}
      options={models.map(({ id }) => ({ value: id, label: id }))}
      onChange={(model) => onChange({ model })}
    />
  );
}

/** The field of a model, for a line of filters. */
export function modelField(search: Subjects, onChange: Change): FilterField {
  return {
    name: "model",
    label: "Model",
    text: search.model,
    editor: <ModelFilter search={search} onChange={onChange} />,
    clear: () => onChange({ model: undefined }),
  };
}

/**
 * The fields of a model, a key and a member of an organization, for a line of filters. Members see their own turns
 * alone, and get no field of a member.
 */
export function useSubjectFields(organizationId: string, search: Subjects, onChange: Change): readonly FilterField[] {
  const manages = mayManage(useSession().role);
  const { data: keys = [] } = useQuery(keysQuery(organizationId));
  const { data: members = [] } = useQuery({ ...membersQuery(organizationId), enabled: manages });
  const field = (name: "key" | "member", label: string, options: readonly ChoiceOption[]) =>
    choiceField({ name, label, value: search[name], options, onChange: (value) => onChange({ [name]: value }) });
  const ofKeys = keys.map((key) => ({ value: key.id, label: key.name }));
  const ofMembers = [
    { value: "none", label: "without a member" },
    ...members.map((member) => ({ value: member.id, label: member.email })),
  ];
  return [
    modelField(search, onChange),
    field("key", "Key", ofKeys),
    ...(manages ? [field("member", "Member", ofMembers)] : []),
  ];
}
