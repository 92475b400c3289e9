// An organization that has everything an organization can have, for tests of what is exported, and what is left after its deletion.
import { mintAccountId } from "../../src/system/ids.ts";
import { TESTS } from "../support/actor.ts";
import { calls, fails, says } from "../support/scripted-provider.ts";
import { testModel } from "../support/service-config.ts";
import type { Identity, ManagedService } from "./managed-service.ts";

export const PRICED = testModel("test/priced", {
  prices: { input: 1000, cached_input: 1000, cache_write: 1000, output: 1000 },
});
/** The models of a service for such organizations. */
export const FULL_MODELS = [testModel("test/all"), PRICED];

/** An organization whose every text contains a word, with a key, people and histories of all kinds. */
export async function addFullOrganization(managed: ManagedService, word: string) {
  const { service, store } = managed;
  const operator = (path: string, body: object) => managed.ask(managed.operator, "POST", path, { body });
  const made = await operator("/organizations", { name: `${word} Ltd`, credits: 1000 });
  const id: string = made.json.id;
  const of = `/organizations/${id}`;
  await operator(of, { name: `${word} Inc` });
  await operator(`${of}/policy`, { deny_models: [`other/${word}`] });
  const owner = await managed.newMember(id, "owner", `${word}@test.test`);
  const person = await managed.signedIn(owner);
  const identity = { issuer: "https://id.test", subject: `${word} subject` };
  await store.startSessionByIdentity({
    by: TESTS,
    organizationId: id,
    identity,
    email: owner.email,
    role: "owner",
    mayAdd: false,
    newMemberId: mintAccountId("member"),
    createdAt: 1,
    session: {
      id: mintAccountId("session"),
      hash: `h ${word}`,
      lifetime: { idleMs: 1e9, absoluteMs: 1e9 },
      address: word,
      userAgent: word,
    },
  });
  const token = (await operator(`${of}/tokens`, { name: `${word} token`, role: "admin" })).json.secret;
  const key = await operator(`${of}/keys`, { name: `${word} key`, member: owner.email });
  await operator(`${of}/budgets`, { scope: "member", id: owner.email, period: "month", limit: 100 });
  const ask = (method: string, path: string, body?: object, headers = {}) =>
    service.request(method, path, { key: key.json.secret, headers, ...(body === undefined ? {} : { body }) });
  const create = (body: object, headers = {}) => ask("POST", "/v1/responses", { model: PRICED.id, ...body }, headers);
  service.provider.plays(says(word));
  const { json: first } = await create(
    { input: word, instructions: word, metadata: { note: word }, safety_identifier: word },
    { "idempotency-key": word },
  );
  service.provider.plays(calls({ callId: `call ${word}`, name: word, args: `{"a":"${word}"}` }));
  const tools = [{ type: "function", name: word, description: word, parameters: { title: word } }];
  await create({ input: word, previous_response_id: first.id, tools });
  service.provider.plays([fails("provider_error", { message: word })]);
  await create({ input: word, previous_response_id: first.id });
  service.provider.plays(says(word));
  const { json: deleted } = await create({ input: word });
  await ask("DELETE", `/v1/responses/${deleted.id}`);
  const items = [{ type: "message", role: "user", content: word }];
  const { json: conversation } = await ask("POST", "/v1/conversations", { metadata: { note: word }, items });
  service.provider.plays(says(word));
  await create({ input: word, conversation: conversation.id });
  return { id, of, key: key.json.secret, person, token: { token } as Identity, first, create, ask };
}

export type FullOrganization = Awaited<ReturnType<typeof addFullOrganization>>;
