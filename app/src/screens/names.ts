// Ids as people know them: by e-mail address or name.
import { useQuery } from "@tanstack/react-query";
import { keysQuery, membersQuery, organizationsQuery, tokensQuery } from "../api/queries.ts";

/**
 * Names the members, keys and tokens of an organization, or (null) the organizations of the service, in a text that has
 * their ids; an id without a name stays.
 */
export function useNames(organizationId: string | null): (text: string) => string {
  const isOne = organizationId !== null;
  const id = organizationId ?? "";
  const { data: members = [] } = useQuery({ ...membersQuery(id), enabled: isOne });
  const { data: keys = [] } = useQuery({ ...keysQuery(id), enabled: isOne });
  const { data: tokens = [] } = useQuery({ ...tokensQuery(id), enabled: isOne });
  const { data: organizations = [] } = useQuery({ ...organizationsQuery, enabled: !isOne });
  const names = new Map([
    ...members.map(({ id: of, email }) => [of, email] as const),
    ...[...keys, ...tokens, ...organizations].map(({ id: of, name }) => [of, name] as const),
  ]);
  return (text) => text.replace(/\b[a-z]+_[0-9a-f]{32}\b/g, (found) => names.get(found) ?? found);
}
