// The filters that the screens of usage and turns share.
import { useQuery } from "@tanstack/react-query";
import { keysQuery, membersQuery, namedModelsQuery } from "../api/queries.ts";
import { mayManage } from "../session/roles.ts";
import { useSession } from "../session/session.ts";
import { Choice } from "./choice.tsx";

export interface Subjects {
  readonly model?: string;
  readonly key?: string;
  readonly member?: string;
}

type Change = (change: Partial<Record<keyof Subjects, string | undefined>>) => void;

/** A model. */
export function ModelFilter({ search, onChange }: { search: Subjects; onChange: Change }) {
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

/** A key of an organization. */
export function KeyFilter({ id, search, onChange }: { id: string; search: Subjects; onChange: Change }) {
  const { data: keys = [] } = useQuery(keysQuery(id));
  return (
    <Choice
      label="Key"
      value={search.key}
      options={keys.map((key) => ({ value: key.id, label: key.name }))}
      onChange={(key) => onChange({ key })}
    />
  );
}

/** A member; members of the organization see their own alone. */
export function MemberFilter({ id, search, onChange }: { id: string; search: Subjects; onChange: Change }) {
  const manages = mayManage(useSession().role);
  const { data: members = [] } = useQuery({ ...membersQuery(id), enabled: manages });
  if (!manages) return null;
  return (
    <Choice
      label="Member"
      value={search.member}
      options={[
        { value: "none", label: "without a member" },
        ...members.map((member) => ({ value: member.id, label: member.email })),
      ]}
      onChange={(member) => onChange({ member })}
    />
  );
}
