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

/** The finds for a text, best first: an id of a response or request leads to its page, whether or not it exists. */
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
  return [...byId(wanted, of), ...named];
}

function byId(id: string, of: string | null): readonly Found[] {
  if (of === null || !/^(?:resp|req)_[\w-]+$/.test(id)) return [];
  return id.startsWith("resp_")
    ? [{ name: id, kind: "Response", href: `${of}/turns/${id}` }]
    : [{ name: id, kind: "Rejected request", href: `${of}/rejections?request=${id}` }];
}
