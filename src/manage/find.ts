// What an id leads to, whatever kind it is of. docs/management.md (Any id)
import Type, { type Static } from "typebox";
import { timeOfId } from "../base/id-time.ts";
import { invalidInput } from "../contract/errors.ts";
import { REQUEST_ID_CHARACTERS_MAX, TURNS_READ_MAX } from "../contract/manage/limits.ts";
import { time } from "../contract/manage/resource-fields.ts";
import { EVERYBODY, OPERATOR } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { findMember } from "../flows/accounts/members.ts";
import { readableMember } from "../flows/manage/principal.ts";
import { secondsOf } from "../ports/clock.ts";
import type { TracedResponse } from "../ports/store/response-log.ts";
import type { Store } from "../ports/store/store.ts";
import type { OrganizationContext } from "./definition/context.ts";
import { operation, type Subject } from "./definition/operation.ts";

const KINDS = ["response", "rejected_request", "conversation", "key", "member", "model"] as const;

const Found = Type.Object({
  kind: oneOf(KINDS),
  id: Type.String({ description: "its id; for a request id, that of its response" }),
  name: orNull(
    Type.String({ description: "the model of a response, the name of a key or of a conversation's key, an address" }),
  ),
  state: orNull(
    Type.String({
      description: "the status of a response, the code of a rejection, the role of a member, `revoked` or `deleted`",
    }),
  ),
  at: orNull(time("when it began, Unix seconds")),
});

type FoundOne = Static<typeof Found>;

const foundFields = {
  data: Type.Array(Found, { description: "Empty when nothing that is visible to the caller has this id." }),
  searched_from: orNull(
    time(
      "Unix seconds: turns that began earlier were not searched for a provider's request id; null: none was left out",
    ),
  ),
};

const findById = operation({
  route: "GET /organizations/:organization_id/ids/:id",
  isLong: true,
  roles: EVERYBODY,
  summary: "Find what an id leads to",
  description:
    "Of a response, a request (`x-request-id`, or the provider's own id of its request), a conversation, a key, a member or a model. Members see only what belongs to their own keys. A response is found by the `x-request-id` of its create whatever its age, by a provider's request id among the newest turns (`searched_from`). Secrets are not ids.",
  command: {
    words: "find",
    help: "find what an id leads to: of a response, request, conversation, key, member or model",
    options: { id: { flags: "<id>", help: "any id, also a provider's request id" } },
    async ownerOf(store, given) {
      const owner = await ownerOf(store, given);
      if (owner === null) throw invalidInput("org", "The id does not say its organization: name it with --org.");
      return owner;
    },
    whenEmpty: "Nothing has this id.",
  },
  output: {
    FoundIds: Type.Object(foundFields),
  },
  run: (context, { id }) => findIn(context, id, readableMember(context)),
});

const findAnywhere = operation({
  route: "GET /ids/:id",
  isLong: true,
  roles: OPERATOR,
  summary: "Find what an id leads to, in any organization",
  description:
    "The same as `GET /organizations/{organization_id}/ids/{id}`, in any organization. The organization is found by the id of a response, a request, a conversation, a key or a member; by a provider's request id only where there is a single organization.",
  output: {
    FoundAnywhere: Type.Object({
      organization: orNull(Type.String({ description: "null: of none, or of none that is known" })),
      organization_name: orNull(Type.String()),
      ...foundFields,
    }),
  },
  async run(context, { id }) {
    const none = { organization: null, organization_name: null };
    const organizationId = isSecret(id) ? null : await ownerOf(context.store, { id });
    const organization = organizationId && (await context.store.findOrganization({ idOrName: organizationId }));
    if (!organization) {
      const model = await findModel(context, id);
      return { ...none, data: model === null ? [] : [model], searched_from: null };
    }
    const found = await findIn({ ...context, organization }, id, null);
    return { organization: organization.id, organization_name: organization.name, ...found };
  },
});

const isSecret = (id: string) => id.startsWith("sk_") || id.startsWith("adm_");

/** Finds what an id leads to. `memberId`: only with this member's keys; null: with all keys; undefined: with none. */
async function findIn(
  context: Pick<OrganizationContext, "catalog" | "organization" | "store">,
  id: string,
  memberId: string | null | undefined,
) {
  if (isSecret(id)) return { data: [], searched_from: null };
  const lookUps = [findModel(context, id), findMemberById(context, id)];
  if (memberId !== undefined) lookUps.push(...LOOK_UPS.map((lookUp) => lookUp(context, id, memberId)));
  const data = (await Promise.all(lookUps)).filter((one) => one !== null);
  if (data.length > 0 || memberId === undefined) return { data, searched_from: null };
  const { store, organization } = context;
  const { responses, readFrom } = await store.traceRequest({
    organizationId: organization.id,
    memberId,
    // As much of a provider's id as is kept.
    requestId: id.slice(0, REQUEST_ID_CHARACTERS_MAX),
    cameMs: timeOfId(id),
    readsMax: TURNS_READ_MAX,
  });
  return { data: responses.map(presentResponse), searched_from: responses.length === 0 ? readFrom : null };
}

type Traced = Pick<TracedResponse, "id" | "model" | "status" | "createdAt">;

function presentResponse({ id, model, status, createdAt }: Traced): FoundOne {
  return { kind: "response", id, name: model, state: status, at: createdAt };
}

/** What the id itself is, of what a member's keys have if there is one. */
const LOOK_UPS: readonly ((
  context: Pick<OrganizationContext, "organization" | "store">,
  id: string,
  memberId: string | null,
) => Promise<FoundOne | null>)[] = [
  async ({ store, organization }, responseId, memberId) => {
    const response = await store.findResponse({ organizationId: organization.id, memberId, responseId });
    return response && presentResponse(response);
  },
  async ({ store, organization }, requestId, memberId) => {
    const rejection = await store.findRejection({ organizationId: organization.id, memberId, requestId });
    if (rejection === null) return null;
    const { keyName: name, code: state, atMs } = rejection;
    return { kind: "rejected_request", id: requestId, name, state, at: secondsOf(atMs) };
  },
  async ({ store, organization }, conversationId, memberId) => {
    const conversation = await store.findConversation({ organizationId: organization.id, memberId, conversationId });
    if (conversation === null) return null;
    const { keyName: name, isDeleted, createdAt: at } = conversation;
    return { kind: "conversation", id: conversationId, name, state: isDeleted === 1 ? "deleted" : null, at };
  },
  async ({ store, organization }, keyId, memberId) => {
    const key = await store.findKeyById({ keyId });
    if (key === null || key.organizationId !== organization.id) return null;
    if (memberId !== null && key.memberId !== memberId) return null;
    const { name, revokedAt, createdAt: at } = key;
    return { kind: "key", id: keyId, name, state: revokedAt === null ? null : "revoked", at };
  },
];

async function findMemberById(
  context: Pick<OrganizationContext, "organization" | "store">,
  id: string,
): Promise<FoundOne | null> {
  // The members of an organization may be many: only what can be one is looked for.
  if (!id.startsWith("mem_") && !id.includes("@")) return null;
  const member = await findMember(context, context.organization.id, id);
  return member && { kind: "member", id: member.id, name: member.email, state: member.role, at: null };
}

async function findModel({ catalog }: Pick<OrganizationContext, "catalog">, id: string): Promise<FoundOne | null> {
  const model = (await catalog()).find(id);
  return model === undefined ? null : { kind: "model", id: model.id, name: id, state: null, at: null };
}

/** The organization of an id, where the id says it or there is only one. */
async function ownerOf(
  store: Pick<Store, "findOwner" | "listOrganizations">,
  { id = "" }: { id?: string },
): Promise<string | null> {
  const owner = await store.findOwner({ id, cameMs: timeOfId(id), readsMax: TURNS_READ_MAX });
  if (owner !== null) return owner;
  const [only, ...others] = await store.listOrganizations();
  return others.length > 0 ? null : (only?.id ?? null);
}

export const FIND = {
  tag: "Turns",
  operations: { findById, findAnywhere },
} as const satisfies Subject;
