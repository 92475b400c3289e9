// Compares the keys of the file with the existing ones. A key is identified by its name among the keys that are not
// revoked.
import type { KeyEntry } from "../../contract/manage/accounts-file.ts";
import { NEW_KEY } from "../../contract/manage/key-options.ts";
import { definedOf } from "../../base/defined.ts";
import { readEmail, readKeyName } from "../access/account-fields.ts";
import {
  AccountsFileFault,
  type KeyChange,
  type KeyLimitValues,
  type KeyValues,
  type Place,
  type PlannedOrganization,
  type ExistingKey,
} from "./account-change.ts";
import { readAt } from "./read-at.ts";
import { differenceOf } from "./same-value.ts";

/** A key after the changes; the id is null while it has to be created. */
export interface RemainingKey {
  readonly name: string;
  readonly id: string | null;
}

export interface KeysPlan {
  readonly changes: readonly KeyChange[];
  /** Removals of the keys that the file does not list; none when it has no list. */
  readonly removals: readonly KeyChange[];
  /** The keys after the changes, without the revoked ones. */
  readonly remaining: readonly RemainingKey[];
}

const NO_LIMITS: KeyLimitValues = {
  allow_models: null,
  create_per_minute: null,
  retrieve_per_minute: null,
  delete_per_minute: null,
  tokens_per_minute: null,
  concurrent_turns: null,
};
const DEFAULTS: KeyValues = { member: null, ...NEW_KEY, limits: NO_LIMITS };

/**
 * Plans the keys of an organization; `members` are the e-mail addresses of its members after the changes. Throws an
 * AccountsFileFault for a wrong or ambiguous name, an unknown id or member, and for what can't be changed on a key that
 * exists.
 */
export function planKeys(
  { organization, entry: { keys: entries }, at: of, present, prune, readModels }: PlannedOrganization,
  members: ReadonlySet<string>,
): KeysPlan {
  const existing = present?.keys ?? [];
  if (entries === undefined) return { changes: [], removals: [], remaining: existing };
  const place = [...of, "keys"];
  const claimed = claimIds(entries, place, existing);
  const taken = new Set(claimed.values());
  const byName = Map.groupBy(
    existing.filter((key) => !taken.has(key)),
    ({ name }) => name,
  );
  const names = new Set<string>();
  const changes: KeyChange[] = [];
  const listed: RemainingKey[] = [];
  for (const [index, entry] of entries.entries()) {
    const at = [...place, index];
    const name = readAt([...at, "name"], () => readKeyName(entry.name));
    if (entry.id === undefined && names.has(name)) {
      throw new AccountsFileFault([...at, "name"], `is "${name}", which is listed before.`);
    }
    if (entry.id === undefined) names.add(name);
    const key = claimed.get(entry) ?? findByName(name, byName, at);
    const wanted = readValues(entry, key, { members, readModels }, at);
    listed.push({ name, id: key?.id ?? null });
    const common = { object: "key", organization, name } as const;
    if (key === null) {
      changes.push({ ...common, action: "create", id: null, before: null, after: { ...DEFAULTS, ...wanted } });
      continue;
    }
    if (key.name !== name)
      throw new AccountsFileFault([...at, "name"], `is "${name}"; the key ${key.id} is named "${key.name}".`);
    const change = planChange(key, wanted, at);
    if (change !== null) changes.push({ ...common, action: "change", id: key.id, ...change });
  }
  const kept = new Set(listed.map(({ id }) => id));
  const unlisted = existing.filter(({ id }) => !kept.has(id));
  const removals = unlisted.map(({ id, name, ...values }): KeyChange => {
    return { object: "key", action: "remove", organization, id, name, before: values, after: null };
  });
  return { changes, removals, remaining: prune ? listed : [...listed, ...unlisted] };
}

/** The keys of the entries that name one by its id. */
function claimIds(
  entries: readonly KeyEntry[],
  place: Place,
  present: readonly ExistingKey[],
): ReadonlyMap<KeyEntry, ExistingKey> {
  const byId = new Map(present.map((key) => [key.id, key]));
  const claimed = new Map<KeyEntry, ExistingKey>();
  for (const [index, entry] of entries.entries()) {
    if (entry.id === undefined) continue;
    const at = [...place, index, "id"];
    const key = byId.get(entry.id);
    if (key === undefined)
      throw new AccountsFileFault(at, `is ${entry.id}; the organization has no such key, or it is revoked.`);
    byId.delete(entry.id);
    claimed.set(entry, key);
  }
  return claimed;
}

/** The only key with a name, among those that no entry names by its id; null: there is none. */
function findByName(name: string, byName: ReadonlyMap<string, readonly ExistingKey[]>, at: Place): ExistingKey | null {
  const [key = null, ...others] = byName.get(name) ?? [];
  if (others.length === 0) return key;
  throw new AccountsFileFault([...at, "name"], `is "${name}", which ${others.length + 1} keys have; give the id too.`);
}

/** What the values of an entry are read with. */
interface Known extends Pick<PlannedOrganization, "readModels"> {
  readonly members: ReadonlySet<string>;
}

/** The values that an entry gives. An owner is a member after the changes, or the id of a removed one that stays. */
function readValues(
  { member, permissions, unanswered_calls, limits: own }: KeyEntry,
  key: ExistingKey | null,
  { members, readModels }: Known,
  at: Place,
): Partial<KeyValues> {
  const limits =
    own && readLimits(own, key?.limits ?? NO_LIMITS, (names) => readModels([...at, "limits", "allow_models"], names));
  const wanted = definedOf({ permissions, unanswered_calls, limits });
  if (member === undefined) return wanted;
  if (member === null || (member === key?.member && !member.includes("@"))) return { ...wanted, member };
  const place = [...at, "member"];
  const email = readAt(place, () => readEmail(member));
  if (members.has(email)) return { ...wanted, member: email };
  throw new AccountsFileFault(place, `is ${email}; allowed: a member of the organization.`);
}

/** The limits of a key after those of the file; what the file leaves out stays. */
function readLimits(
  { allow_models: allow, ...rates }: NonNullable<KeyEntry["limits"]>,
  present: KeyLimitValues,
  readModels: (names: readonly string[]) => string[],
): KeyLimitValues {
  const wanted = definedOf({ ...rates, allow_models: allow && readModels(allow) });
  return { ...present, ...differenceOf<KeyLimitValues>(present, wanted)?.after };
}

/** What changes on a key that exists. */
function planChange(key: ExistingKey, wanted: Partial<KeyValues>, at: Place) {
  const { member, permissions, unanswered_calls, limits } = key;
  const values: KeyValues = { member, permissions, unanswered_calls, limits };
  for (const fixed of ["member", "permissions"] as const) {
    const now = values[fixed];
    if (wanted[fixed] === undefined || wanted[fixed] === now) continue;
    throw new AccountsFileFault(
      [...at, fixed],
      `is ${wanted[fixed]}, but the key has ${now}, which can't change; give a new key another name.`,
    );
  }
  const difference = differenceOf(values, wanted);
  return difference === null ? null : { before: values, after: { ...values, ...difference.after } };
}
