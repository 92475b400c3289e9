import { useQuery } from "@tanstack/react-query";
import type { Budget } from "../../api/client.ts";
import { keysQuery, membersQuery } from "../../api/queries.ts";

/** The name of what a budget limits; ids in place of names until they are read, if they are wanted at all. */
export function useBudgetNames(
  organizationId: string,
  isWanted = true,
): (budget: Pick<Budget, "scope" | "id">) => string {
  const { data: keys = [] } = useQuery({ ...keysQuery(organizationId), enabled: isWanted });
  const { data: members = [] } = useQuery({ ...membersQuery(organizationId), enabled: isWanted });
  return ({ scope, id }) => {
    const of = id ?? "";
    const names: Readonly<Record<Budget["scope"], string>> = {
      organization: "the organization",
      "organization-day": "a day of the organization",
      response: "each response",
      member: `member ${members.find((member) => member.id === id)?.email ?? of}`,
      key: `key ${keys.find((key) => key.id === id)?.name ?? of}`,
    };
    return names[scope];
  };
}
