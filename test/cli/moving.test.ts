// turngate export, import and verify, from a file of OpenAI to an export and back.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandLineForFile } from "./command-line.ts";

const line = commandLineForFile();

const path = (name: string) => join(line.folder, name);

const OPENAI = `{"id": "conv_68", "object": "conversation", "created_at": 1741900000, "metadata": {"topic": "demo"}}
{"object": "list", "data": [
  {"type": "message", "id": "msg_1", "role": "user", "status": "completed", "content": [{"type": "input_text", "text": "Hello"}]},
  {"type": "image_generation_call", "id": "ig_1"}
]}
`;

test("conversations of OpenAI are imported once, exported, verified, and imported again", async () => {
  await line.json("orgs", "create", "--name", "acme");
  const { id: key } = await line.json<{ id: string }>("keys", "create", "--org", "acme", "--name", "chat");
  writeFileSync(path("openai.json"), OPENAI);

  const rejected = await line.run(["import", "openai.json", "--key", key]);
  assert.deepEqual([rejected.code, rejected.stdout], [1, ""]);
  assert.equal(
    rejected.stderr,
    "error: openai.json:2: data[1]: items of the type image_generation_call can't be imported; --leave-out leaves them out and counts them.\n",
  );

  const words = ["import", "openai.json", "--key", key, "--leave-out", "--keep-ids"] as const;
  const found = { file: "openai.json", format: "api", conversations: 1, items: 1 };
  const left = { left_out: { "items of the type image_generation_call": 1 } };
  assert.deepEqual(await line.json(...words, "--dry-run"), { ...found, ...left, imported: null, map: null });
  const noFolder = await line.run([...words, "--map", "none/map"]);
  assert.equal(noFolder.stderr, "error: the map none/map can't be opened (no such file or directory).\n");
  const map = "openai.json.map.jsonl";
  const once = { conversations: 1, items: 1, earlier: 0 };
  assert.deepEqual(await line.json(...words), { ...found, ...left, imported: once, map });
  assert.match(readFileSync(path(map), "utf8"), /\n\{"from":"conv_68","to":"conv_68"\}\n\{"done":true\}\n$/);
  const again = await line.run(words);
  assert.deepEqual([again.code, again.stdout.split("\n")[1]], [0, "1 was imported before."]);
  assert.equal(again.stderr, "warning: left out: 1 items of the type image_generation_call.\n");

  const exported = await line.json<{ sha256: string }>("export", "all.jsonl", "--org", "acme", "--key", key);
  assert.partialDeepStrictEqual(exported, { file: "all.jsonl", conversations: 1, items: 1, unreadable: 0 });
  assert.equal(statSync(path("all.jsonl")).mode & 0o777, 0o600);
  const verified = await line.run(["verify", "all.jsonl"]);
  assert.equal(verified.stdout, `all.jsonl is whole: 1 conversation with 1 item, hash ${exported.sha256}.\n`);
  assert.partialDeepStrictEqual(await line.json("import", "all.jsonl", "--key", key), {
    format: "export",
    imported: once,
  });
  const { data: entries } = await line.json<{ data: { action: string }[] }>(
    ...(["audit", "list", "--org", "acme", "--limit", "3"] as const),
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    ["conversation.import", "conversation.export", "conversation.import"],
  );

  writeFileSync(path("all.jsonl"), readFileSync(path("all.jsonl"), "utf8").replace("Hello", "Hallo"));
  const changed = await line.run(["verify", "all.jsonl"]);
  assert.deepEqual([changed.code, changed.stdout], [1, ""]);
  assert.equal(changed.stderr, "error: all.jsonl:3: the hash is not that of the line: the line was changed.\n");

  await line.json("keys", "revoke", key);
  assert.match((await line.run(["import", "openai.json", "--key", key])).stderr, /the key key_\w+ is revoked/);
});
