// Ids as people know them: by e-mail address or name.
import { useQuery } from "@tanstack/react-query";
import { keysQuery, membersQuery, organizationsQuery, tokensQuery } from "../api/queries.ts";

/** The names by their ids: of the members, keys and tokens of an organization, or (null) of all organizations. */
export function useNamesById(organizationId: string | null): ReadonlyMap<string, string> {
  const isOne = organizationId !== null;
  const id = organizationId ?? "";
  const { data: members = [] } = useQuery({ ...membersQuery(id), enabled: isOne });
  const { data: keys = [] } = useQuery({ ...keysQuery(id), enabled: isOne });
  const { data: tokens = [] } = useQuery({ ...tokensQuery(id), enabled: isOne });
  const { data: organizations = [] } = useQuery({ ...organizationsQuery, enabled: !isOne });
  return new Map([
    ...members.map(({ id: of, email }) => [of, email] as const),
    ...[...keys, ...tokens, ...organizations].map(({ id: of, name }) => [of, name] as const),
  ]);
}

/** Names what has a name (`useNamesById`) in a text that has its id; an id without a name stays. */
export function useNames(organizationId: string | null): (text: string) => string {
  const names = useNamesById(organizationId);
  return (text) => text.replace(/\b[a-z]+_[0-9a-f]{32}\b/g, (found) => names.get(found) ?? found);
}
