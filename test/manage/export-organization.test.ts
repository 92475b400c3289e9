// An export of an organization's data: everything that it has, nothing of another one, and no secret. docs/operations.md (Exporting an
// organization's data)
import assert from "node:assert/strict";
import { test } from "node:test";
import { EXPORT_TYPES, exportOrganization } from "../../src/manage/export-organization.ts";
import type { Loose } from "../support/http-client.ts";
import { dumpTables } from "../support/tables.ts";
import { addFullOrganization, FULL_MODELS, PRICED } from "./full-organization.ts";
import { managedForFile } from "./managed-service.ts";

const WORD = "canary-7f3a9c";

const managed = await managedForFile({ metadataKey: "note", models: FULL_MODELS });
const made = await addFullOrganization(managed, WORD);
await addFullOrganization(managed, "stranger");

async function exported(): Promise<readonly { type: string; text: string; json: Loose }[]> {
  const organization = await managed.store.findOrganization({ idOrName: made.id });
  assert.ok(organization);
  const lines = await Array.fromAsync(exportOrganization(managed.store, organization));
  return lines.map(({ type, text }) => ({ type, text, json: JSON.parse(text) }));
}

test("every kind of line is there, in order, with the texts of the organization", async () => {
  const lines = await exported();
  for (const { type, text, json } of lines) {
    assert.equal(json.line, type);
    assert.ok(!text.includes("\n") && !text.includes("stranger"), text);
  }
  const types = lines.map(({ type }) => type);
  assert.deepEqual([...new Set(types)], EXPORT_TYPES);
  assert.deepEqual(
    EXPORT_TYPES.filter((type) => !lines.some((line) => line.type === type && line.text.includes(WORD))),
    ["budget", "transfer"],
    "these have none",
  );
  const of = (type: string) => lines.filter((line) => line.type === type).map(({ json }) => json);
  assert.equal(of("member")[0].identity.subject, `${WORD} subject`);
  assert.ok(of("member")[0].sessions.some((session: Loose) => session.user_agent === WORD));
  const conversation = of("history").find((history) => history.conversation !== null);
  assert.equal(conversation.metadata.note, WORD);
  const items = of("item").filter(({ history }) => history === conversation.id);
  assert.deepEqual(
    items.map(({ position, item }) => [position, item.role, item.content[0].text]),
    [
      [1, "user", WORD],
      [2, "user", WORD],
      [3, "assistant", WORD],
    ],
  );
  const ids = of("response").map(({ id }) => id);
  assert.equal(new Set(ids).size, 5);
  const first = of("response").find(({ id }) => id === made.first.id);
  assert.deepEqual([first.request.instructions, first.request.metadata.note], [WORD, WORD]);
  assert.equal(first.label, `note=${WORD}`);
  assert.ok(first.credits > 0 && first.completed >= first.created);
});

test("deleted content is not exported, its billing record is", async () => {
  const responses = (await exported()).filter(({ type }) => type === "response");
  const [deleted, ...others] = responses.filter(({ json }) => json.deleted !== null);
  assert.equal(others.length, 0);
  assert.ok(deleted);
  assert.ok(!deleted.text.includes(WORD), deleted.text);
  assert.deepEqual([deleted.json.request, deleted.json.unlisted_output], [null, []]);
  assert.ok(deleted.json.total_tokens > 0);
});

test("no line has a secret or the hash of one", async () => {
  const text = (await exported()).map((line) => line.text).join("\n");
  const tables = await dumpTables(managed.service);
  const secrets = ["key_secrets", "admin_tokens", "member_passwords", "sessions", "sign_in_links"].flatMap((table) =>
    (tables[table] ?? []).flatMap((row) => ["hash", "lookup"].flatMap((name) => (name in row ? [row[name]] : []))),
  );
  assert.ok(secrets.length > 8);
  for (const secret of secrets) assert.ok(!text.includes(String(secret)), String(secret));
});

test("long histories and large texts come whole, in pages, and branches with their place", async () => {
  const large = "x".repeat(3_000_000);
  const { json: conversation } = await made.ask("POST", "/v1/conversations", {});
  for (let round = 0; round < 3; round++) {
    const items = [{ type: "message", role: "user", content: `${round} ${large}` }];
    await made.ask("POST", `/v1/conversations/${conversation.id}/items`, { items });
  }
  for (let call = 0; call < 11; call++) {
    const items = Array.from({ length: 20 }, (_, at) => ({ type: "message", role: "user", content: `${call}/${at}` }));
    await made.ask("POST", `/v1/conversations/${conversation.id}/items`, { items });
  }
  const root = (await made.create({ input: "root", model: PRICED.id })).json;
  await made.create({ input: "next", previous_response_id: root.id });
  await made.create({ input: "branch", previous_response_id: root.id });
  const lines = await exported();
  const history = lines.find(({ json }) => json.conversation === conversation.id)?.json.id;
  const items = lines.filter(({ type, json }) => type === "item" && json.history === history);
  assert.deepEqual(
    items.map(({ json }) => json.position),
    Array.from({ length: 223 }, (_, at) => at + 1),
  );
  assert.deepEqual(
    items.slice(0, 4).map(({ json }) => json.item.content[0].text.length),
    [3_000_002, 3_000_002, 3_000_002, 3],
  );
  const branch = lines.find(({ text }) => text.includes('"text":"branch"'))?.json.history;
  const { continues } = lines.find(({ type, json }) => type === "history" && json.id === branch)?.json ?? {};
  const rootHistory = lines.find(({ json }) => json.id === root.id)?.json.history;
  assert.deepEqual(continues, [[rootHistory, 2]]);
});
