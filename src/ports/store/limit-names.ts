// The names of an organization's limits outside the program: in the interface, the accounts file and the audit log.
import type { OrganizationLimits } from "./accounts.ts";

/** Each name with the field that it stands for. */
export const LIMIT_NAMES = {
  create_per_minute: "createPerMinute",
  retrieve_per_minute: "retrievePerMinute",
  delete_per_minute: "deletePerMinute",
  open_streams: "openStreams",
  concurrent_turns: "concurrentResponses",
} as const satisfies Readonly<Record<string, keyof OrganizationLimits>>;

type LimitName = keyof typeof LIMIT_NAMES;

/** The limits under their names. */
export type NamedLimits = Record<LimitName, number | null>;

/** Limits under their names, all of them. */
export function nameLimits(limits: OrganizationLimits): NamedLimits {
  return Object.fromEntries(Object.entries(LIMIT_NAMES).map(([name, field]) => [name, limits[field]])) as NamedLimits;
}

/** The limits of those names that are given. */
export function limitsNamed(
  named: { readonly [Name in LimitName]?: number | null | undefined },
): Partial<OrganizationLimits> {
  return Object.fromEntries(
    Object.entries(LIMIT_NAMES).flatMap(([name, field]) => {
      const limit = named[name as LimitName];
      return limit === undefined ? [] : [[field, limit]];
    }),
  );
}
