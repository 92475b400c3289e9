// The table of paths, roles and commands in docs/management.md.
import type { Operation } from "../../manage/definition/operation.ts";
import { OPERATIONS } from "../../manage/operations.ts";

type Route = Pick<Operation, "method" | "path">;

/** The table in Markdown; `…` stands for the path of an organization, the role is the least: roles stand in their order. */
export function buildPathsTable(): string {
  const routeOf = ({ method, path }: Route) => `${method} ${path}`;
  const commands = new Map(
    OPERATIONS.flatMap(({ command, ...own }) => {
      const variants = Object.values(command?.variants ?? {}).map(({ operation }) => operation);
      return command === null ? [] : [own, ...variants].map((run) => [routeOf(run), `\`${command.words}\``] as const);
    }),
  );
  const others: Readonly<Record<string, string>> = { public: "everybody", key: "the holder of an API key" };
  const rows = OPERATIONS.map(({ scope, roles, ...route }) => {
    const shown = routeOf(route)
      .replace("/organizations/:organization_id", "…")
      .replaceAll(/:(\w+)/g, "{$1}");
    const cells = [`\`${shown}\``, others[scope] ?? roles.at(-1), commands.get(routeOf(route))];
    return `| ${cells.join(" | ")} |\n`;
  });
  return `| path | role | command |\n|---|---|---|\n${rows.join("")}`;
}
