// Changes of accounts for people, a line each, and as JSON.
import type { AccountChange } from "../../core/accounts-file/account-change.ts";
import type { Unlisted } from "../../core/accounts-file/plan-accounts.ts";

const SIGNS: Readonly<Record<AccountChange["action"], string>> = { create: "+", change: "~", remove: "-" };
const REMOVALS: Readonly<Record<AccountChange["object"], string>> = {
  organization: "remove",
  credits: "remove",
  member: "remove",
  key: "revoke",
  budget: "clear",
};

/** `~ Acme: key "chat backend": unanswered_calls refuse → drop`. */
export function describeChange(change: AccountChange): string {
  const { action, object, before, after } = change;
  const what = `${SIGNS[action]} ${describeObject(change)}`;
  if (action === "remove") return `${what}${object === "budget" ? "" : ` (${change.id})`}: ${REMOVALS[object]}`;
  const values = listValues(before, after);
  return values.length === 0 ? what : `${what}: ${values.join(", ")}`;
}

function describeObject(change: AccountChange): string {
  const { organization, name } = change;
  switch (change.object) {
    case "organization":
      return `organization ${JSON.stringify(name)}`;
    case "credits":
      return `${organization}: credits`;
    case "member":
      return `${organization}: member ${name}`;
    case "key":
      return `${organization}: key ${JSON.stringify(name)}`;
    case "budget": {
      const { scope, period } = change;
      const owner = scope === "key" || scope === "member" ? ` ${JSON.stringify(name)}` : "";
      return `${organization}: budget ${scope}${owner} (${period})`;
    }
    default:
      return change satisfies never;
  }
}

/** `role admin → owner`, or `role owner` for what is created, without the limits that it has not; only what differs. */
function listValues(before: object | null, after: object | null, path = ""): string[] {
  return Object.entries(after ?? {}).flatMap(([field, value]): string[] => {
    const earlier: unknown = before === null ? undefined : Reflect.get(before, field);
    const name = `${path}${field}`;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return listValues(typeof earlier === "object" ? earlier : null, value, `${name}.`);
    }
    if (before === null) return name === "name" || (path !== "" && value === null) ? [] : [`${name} ${show(value)}`];
    const shown = show(value);
    return shown === show(earlier) ? [] : [`${name} ${show(earlier)} → ${shown}`];
  });
}

function show(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return `[${value.join(", ")}]`;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What is left alone, one line for each organization and one for the organizations themselves. */
export function describeUnlisted(unlisted: readonly Unlisted[]): string[] {
  const lines: string[] = [];
  for (const [organization, within] of Map.groupBy(
    unlisted.filter(({ object }) => object !== "organization"),
    (each) => each.organization,
  )) {
    lines.push(
      `  ${organization}, not in the file: ${within.map(({ object, name }) => `${object} ${name}`).join(", ")}`,
    );
  }
  const organizations = unlisted.filter(({ object }) => object === "organization").map(({ name }) => name);
  if (organizations.length > 0) lines.push(`  organizations not in the file: ${organizations.join(", ")}`);
  return lines;
}
