// The table of paths and roles in docs/management.md.
import { OPERATIONS } from "../../manage/operations.ts";
import { placeOfOperation } from "./order.ts";

/** The table in Markdown; `…` stands for the path of an organization. */
export function buildPathsTable(): string {
  const rows = OPERATIONS.toSorted(
    (one, other) => placeOfOperation(one.operation) - placeOfOperation(other.operation),
  ).map(({ method, path, scope, roles, operation }) => {
    const shown = path.replace(/^\/organizations\/:organization_id/, "…").replaceAll(/:(\w+)/g, "{$1}");
    const others: Readonly<Record<string, string>> = { public: "everybody", key: "the holder of an API key" };
    return `| \`${method} ${shown}\` | \`${operation}\` | ${others[scope] ?? roles.join(", ")} |\n`;
  });
  return `| path | operation | for |\n|---|---|---|\n${rows.join("")}`;
}
