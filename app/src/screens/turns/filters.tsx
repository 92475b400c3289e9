// The filters above the log of turns.
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { keysQuery, membersQuery, modelsQuery } from "../../api/queries.ts";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { FAILURE_CODES, STATUSES, type TurnsSearch } from "./search.ts";

type Name = keyof TurnsSearch;
interface Choice {
  readonly value: string;
  readonly label: string;
}

export function Filters({
  id,
  search,
  onChange,
}: {
  id: string;
  search: TurnsSearch;
  onChange: (change: Partial<Record<Name, string | undefined>>) => void;
}) {
  const { role } = useSession();
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: keys = [] } = useQuery(keysQuery(id));
  const { data: members = [] } = useQuery({ ...membersQuery(id), enabled: mayManage(role) });
  const choice = (name: Name, label: string, choices: readonly Choice[]) => (
    <NativeSelect
      label={label}
      value={search[name] ?? ""}
      data={[{ value: "", label: "any" }, ...withChosen(choices, search[name])]}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value === "" ? undefined : value })}
    />
  );
  const day = (name: "from" | "to", label: string) => (
    <TextInput
      label={label}
      type="date"
      value={search[name] ?? ""}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value === "" ? undefined : value })}
    />
  );
  return (
    <div className="screen-actions" role="group" aria-label="Filters">
      {day("from", "From (UTC)")}
      {day("to", "To (UTC)")}
      {choice(
        "model",
        "Model",
        models.map((model) => ({ value: model.id, label: model.id })),
      )}
      {choice(
        "key",
        "Key",
        keys.map((key) => ({ value: key.id, label: key.name })),
      )}
      {mayManage(role) &&
        choice(
          "member",
          "Member",
          members.map((member) => ({ value: member.id, label: member.email })),
        )}
      {choice(
        "status",
        "Status",
        STATUSES.map((status) => ({ value: status, label: status.replace("_", " ") })),
      )}
      {choice(
        "failure_code",
        "Failure",
        FAILURE_CODES.map((code) => ({ value: code, label: code })),
      )}
      {search.conversation !== undefined && choice("conversation", "Conversation", [])}
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

/** The choices with the chosen one, which may be of the past: a removed member, a model that is no longer served. */
function withChosen(choices: readonly Choice[], chosen: string | undefined): readonly Choice[] {
  if (chosen === undefined || choices.some(({ value }) => value === chosen)) return choices;
  return [...choices, { value: chosen, label: chosen }];
}
