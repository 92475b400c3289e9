// What the search finds: screens by their names, and what an organization has by name or id.

export interface Found {
  readonly name: string;
  /** What it is, such as "Key". */
  readonly kind: string;
  readonly href: string;
}

/** What the service found by an id. */
export interface FoundId {
  readonly kind: "response" | "rejected_request" | "conversation" | "key" | "member" | "model";
  readonly id: string;
  readonly name: string | null;
  readonly state: string | null;
}

export interface Searched {
  readonly organizationId: string | null;
  readonly screens: readonly Found[];
  readonly keys: readonly { readonly id: string; readonly name: string }[];
  readonly members: readonly { readonly id: string; readonly email: string }[];
  readonly models: readonly { readonly id: string }[];
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
  /** Of the text as an id. */
  readonly ids: readonly FoundId[];
  /** The organization that has it; null: the one that is shown. */
  readonly idsOf: { readonly id: string; readonly name: string } | null;
}

/** More would not be read. */
const FOUND_MAX = 12;

/** The finds for a text, best first: an id leads to its page or its turns, whether or not there are any. */
export function find(text: string, searched: Searched): readonly Found[] {
  const wanted = text.trim().toLowerCase();
  const base = searched.organizationId === null ? null : `/organizations/${searched.organizationId}`;
  const all: Found[] = [...searched.screens];
  if (base !== null && wanted !== "") {
    const turns = (filter: string, id: string) => `${base}/turns?${filter}=${encodeURIComponent(id)}`;
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
  const { ids, idsOf } = searched;
  const found =
    idsOf !== null
      ? ids.map((one) => byFound(one, `/organizations/${idsOf.id}`, idsOf.name))
      : base === null
        ? []
        : ids.length > 0
          ? ids.map((one) => byFound(one, base))
          : byId(wanted, base);
  return [...found, ...named.filter(({ href }) => found.every((one) => one.href !== href))];
}

/** Whether a text may be an id that the service should look for, and is no secret. */
export function mayBeId(text: string): boolean {
  const id = text.trim();
  return /^[\w./:-]{8,200}$/.test(id) && /[\d_]/.test(id) && !/^(?:sk|adm)_/.test(id);
}

/** Where the service's finds lead. */
const BY_KIND: Readonly<Record<FoundId["kind"], readonly [kind: string, path: (id: string) => string]>> = {
  response: ["Response", (id) => `/turns/${id}`],
  rejected_request: ["Rejected request", (id) => `/errors?request=${id}`],
  conversation: ["Responses of the conversation", (id) => `/turns?conversation=${id}`],
  key: ["Responses of the key", (id) => `/turns?key=${id}`],
  member: ["Responses of the member", (id) => `/turns?member=${id}`],
  model: ["Responses of the model", (id) => `/turns?model=${encodeURIComponent(id)}`],
};

function byFound({ kind, id, name, state }: FoundId, base: string, organization: string | null = null): Found {
  const [noun, path] = BY_KIND[kind];
  const about = [name === id ? null : name, state, organization && `in ${organization}`].filter(
    (text) => text !== null,
  );
  return { name: id, kind: [noun, ...about].join(", "), href: `${base}${path(id)}` };
}

/** Where an id of each kind leads while the service has found nothing, by its first letters. */
const BY_ID: Readonly<Record<string, readonly [kind: string, path: (id: string) => string]>> = {
  resp_: BY_KIND.response,
  req_: BY_KIND.rejected_request,
  conv_: BY_KIND.conversation,
  key_: BY_KIND.key,
  mem_: BY_KIND.member,
};

function byId(id: string, base: string): readonly Found[] {
  const [, prefix = ""] = /^([a-z]+_)[\w-]+$/.exec(id) ?? [];
  const found = BY_ID[prefix];
  if (found === undefined) return [];
  const [kind, path] = found;
  return [{ name: id, kind, href: `${base}${path(id)}` }];
}
