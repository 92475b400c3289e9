import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import {
  bodyOf,
  keyOperation,
  listOperations,
  operation,
  publicOperation,
  queryOf,
  serviceOperation,
} from "./operation.ts";

const fields = { name: Type.String() };
const output = { Done: Type.Object({ done: Type.Boolean() }) };
const run = async () => ({ done: true });
const [read, change, restart, enter, use] = listOperations({
  tag: "Things",
  about: "things",
  operations: {
    readThing: operation({ route: "GET /things", roles: [], summary: "Read", input: fields, output, run }),
    changeThing: operation({
      route: "POST /organizations/:organization_id/things/:thing_id",
      roles: ["owner"],
      summary: "Change",
      input: fields,
      body: { isOptional: true },
      output,
      run: async (_context, { thing_id, name }) => ({ done: thing_id === name }),
    }),
    restart: serviceOperation({ route: "POST /restart", roles: [], summary: "Restart", output, run }),
    enter: publicOperation({ route: "POST /enter", summary: "Enter", errors: ["resource_not_found"], output, run }),
    use: keyOperation({ route: "GET /me", summary: "Use", output, run }),
  },
});
assert.ok(read && change && restart && enter && use);

test("the fields of a GET are its query, those of other methods its body", () => {
  assert.deepEqual([queryOf(read), bodyOf(read)], [fields, null]);
  assert.equal(queryOf(change), null);
  const { name, presence, shape } = bodyOf(change) ?? {};
  assert.deepEqual([name, presence], ["ChangeThingBody", "optional"]);
  assert.equal(Object.entries(shape ?? {}).find(([keyword]) => keyword === "additionalProperties")?.[1], false);
  assert.deepEqual([queryOf(restart), bodyOf(restart)], [null, null]);
});

test("the route gives method, path and scope, and the name of the output its component", () => {
  assert.deepEqual([read.name, read.method, read.path, read.scope], ["readThing", "GET", "/things", "platform"]);
  assert.deepEqual([change.scope, change.output.name, change.tag], ["organization", "Done", "Things"]);
  assert.deepEqual([change.needsService, restart.needsService], [false, true]);
});

test("everybody may use a public operation, and no role one of the holder of a key; both need a service", () => {
  const admissions = [enter, use].map(({ scope, roles, needsService, errors }) => [scope, roles, needsService, errors]);
  assert.deepEqual(admissions, [
    ["public", ["operator", "owner", "admin", "member"], true, ["resource_not_found"]],
    ["key", [], true, []],
  ]);
});
