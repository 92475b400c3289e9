// What the search finds: screens by their names, and what an organization has by name or id.

export interface Found {
  readonly name: string;
  /** What it is, such as "Key". */
  readonly kind: string;
  readonly href: string;
}

export interface Searched {
  readonly organizationId: string | null;
  readonly screens: readonly Found[];
  readonly keys: readonly { readonly id: string; readonly name: string }[];
  readonly members: readonly { readonly id: string; readonly email: string }[];
  readonly models: readonly { readonly id: string }[];
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
}

/** More would not be read. */
const FOUND_MAX = 12;

/** The finds for a text, best first: an id leads to its page or its turns, whether or not there are any. */
export function find(text: string, searched: Searched): readonly Found[] {
  const wanted = text.trim().toLowerCase();
  const of = searched.organizationId === null ? null : `/organizations/${searched.organizationId}`;
  const all: Found[] = [...searched.screens];
  if (of !== null && wanted !== "") {
    const turns = (filter: string, id: string) => `${of}/turns?${filter}=${encodeURIComponent(id)}`;
    for (const { id, name } of searched.keys) all.push({ name, kind: `Key ${id}`, href: turns("key", id) });
    for (const { id, email } of searched.members) {
      all.push({ name: email, kind: `Member ${id}`, href: turns("member", id) });
    }
    for (const { id } of searched.models) all.push({ name: id, kind: "Model", href: turns("model", id) });
  }
  if (wanted !== "") {
    for (const { id, name } of searched.organizations) {
      all.push({ name, kind: `Organization ${id}`, href: `/organizations/${id}/overview` });
    }
  }
  const named = all.filter(({ name, kind }) => `${name} ${kind}`.toLowerCase().includes(wanted)).slice(0, FOUND_MAX);
  const found = byId(wanted, of);
  return [...found, ...named.filter(({ href }) => found.every((one) => one.href !== href))];
}

/** Where an id of each kind leads, by its first letters. */
const BY_ID: Readonly<Record<string, readonly [kind: string, path: (id: string) => string]>> = {
  resp_: ["Response", (id) => `/turns/${id}`],
  req_: ["Rejected request", (id) => `/rejections?request=${id}`],
  conv_: ["Turns of the conversation", (id) => `/turns?conversation=${id}`],
  key_: ["Turns of the key", (id) => `/turns?key=${id}`],
  mem_: ["Turns of the member", (id) => `/turns?member=${id}`],
};

function byId(id: string, of: string | null): readonly Found[] {
  const [, prefix = ""] = /^([a-z]+_)[\w-]+$/.exec(id) ?? [];
  const found = BY_ID[prefix];
  if (of === null || found === undefined) return [];
  const [kind, path] = found;
  return [{ name: id, kind, href: `${of}${path(id)}` }];
}
