// Compares the keys of the file with the existing ones. A key is identified by its name among the keys that are not
// revoked.
import type { KeyEntry } from "../../contract/manage/accounts-file.ts";
import { definedOf } from "../../base/defined.ts";
import { readEmail, readKeyName } from "../access/account-fields.ts";
import { AccountsFileFault, type KeyChange, type KeyValues, type Place, type PresentKey } from "./account-change.ts";
import { readAt } from "./read-at.ts";
import { differenceOf } from "./same-value.ts";

/** A key that the file lists; the id is null while it has to be created. */
export interface ListedKey {
  readonly name: string;
  readonly id: string | null;
}

export interface KeysPlan {
  readonly changes: readonly KeyChange[];
  /** In the order of the file. */
  readonly listed: readonly ListedKey[];
  /** Existing keys that the file does not list; empty when it has no list. */
  readonly unlisted: readonly PresentKey[];
}

interface Keys {
  readonly organization: string;
  readonly place: Place;
  /** Undefined: the file has no list of keys. */
  readonly entries: readonly KeyEntry[] | undefined;
  readonly present: readonly PresentKey[];
  /** The e-mail addresses of the members after the changes. */
  readonly members: ReadonlySet<string>;
}

const DEFAULTS: KeyValues = { member: null, permissions: "all", unanswered_calls: "refuse" };

/**
 * Plans the keys of an organization. Throws an AccountsFileFault for a wrong or ambiguous name, an unknown id or
 * member, and for what can't be changed on a key that exists.
 */
export function planKeys({ organization, place, entries, present, members }: Keys): KeysPlan {
  if (entries === undefined) return { changes: [], listed: [], unlisted: [] };
  const claimed = claimIds(entries, place, present);
  const taken = new Set(claimed.values());
  const byName = Map.groupBy(
    present.filter((key) => !taken.has(key)),
    ({ name }) => name,
  );
  const names = new Set<string>();
  const changes: KeyChange[] = [];
  const listed: ListedKey[] = [];
  for (const [index, entry] of entries.entries()) {
    const at = [...place, index];
    const name = readAt([...at, "name"], () => readKeyName(entry.name));
    if (entry.id === undefined && names.has(name)) {
      throw new AccountsFileFault([...at, "name"], `is "${name}", which is listed before.`);
    }
    if (entry.id === undefined) names.add(name);
    const key = claimed.get(entry) ?? findByName(name, byName, at);
    const given = readValues(entry, key, members, at);
    listed.push({ name, id: key?.id ?? null });
    const common = { object: "key", organization, name } as const;
    if (key === null) {
      changes.push({ ...common, action: "create", id: null, before: null, after: { ...DEFAULTS, ...given } });
      continue;
    }
    if (key.name !== name)
      throw new AccountsFileFault([...at, "name"], `is "${name}"; the key ${key.id} is named "${key.name}".`);
    const change = planChange(key, given, at);
    if (change !== null) changes.push({ ...common, action: "change", id: key.id, ...change });
  }
  const kept = new Set(listed.map(({ id }) => id));
  return { changes, listed, unlisted: present.filter(({ id }) => !kept.has(id)) };
}

/** The keys of the entries that name one by its id. */
function claimIds(
  entries: readonly KeyEntry[],
  place: Place,
  present: readonly PresentKey[],
): ReadonlyMap<KeyEntry, PresentKey> {
  const byId = new Map(present.map((key) => [key.id, key]));
  const claimed = new Map<KeyEntry, PresentKey>();
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
function findByName(name: string, byName: ReadonlyMap<string, readonly PresentKey[]>, at: Place): PresentKey | null {
  const [key = null, ...others] = byName.get(name) ?? [];
  if (others.length === 0) return key;
  throw new AccountsFileFault([...at, "name"], `is "${name}", which ${others.length + 1} keys have; give the id too.`);
}

/** The values that an entry gives. An owner is a member after the changes, or the id of a removed one that stays. */
function readValues(
  { member, permissions, unanswered_calls }: KeyEntry,
  key: PresentKey | null,
  members: ReadonlySet<string>,
  at: Place,
): Partial<KeyValues> {
  const given = definedOf({ permissions, unanswered_calls });
  if (member === undefined) return given;
  if (member === null || (member === key?.member && !member.includes("@"))) return { ...given, member };
  const place = [...at, "member"];
  const email = readAt(place, () => readEmail(member));
  if (members.has(email)) return { ...given, member: email };
  throw new AccountsFileFault(place, `is ${email}; allowed: a member of the organization.`);
}

/** What changes on a key that exists. */
function planChange(key: PresentKey, given: Partial<KeyValues>, at: Place) {
  const { member, permissions, unanswered_calls } = key;
  const values: KeyValues = { member, permissions, unanswered_calls };
  for (const fixed of ["member", "permissions"] as const) {
    const now = values[fixed];
    if (given[fixed] === undefined || given[fixed] === now) continue;
    throw new AccountsFileFault(
      [...at, fixed],
      `is ${given[fixed]}, but the key has ${now}, which can't change; give a new key another name.`,
    );
  }
  const difference = differenceOf(values, given);
  return difference === null ? null : { before: values, after: { ...values, ...difference.after } };
}
