import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { MANAGE_ROLES } from "../../contract/manage/roles.ts";
import { buildManageOpenApi } from "./document.ts";
import { buildPathsTable } from "./paths-table.ts";
import { OPERATIONS } from "../../manage/operations.ts";

interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
}

const text = `${JSON.stringify(buildManageOpenApi(), null, 2)}\n`;
const openApi = JSON.parse(text) as {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
};

test("the document is valid OpenAPI 3.1", async () => {
  assert.deepEqual(await new Validator().validate(JSON.parse(text)), { valid: true });
});

test("every route of the table is described with its roles, and nothing else", () => {
  const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`),
  );
  const served = OPERATIONS.map(({ name, method, path }) => `${name}: ${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  assert.deepEqual(described.toSorted(), served.toSorted());
  assert.equal(new Set(OPERATIONS.map(({ name }) => name)).size, OPERATIONS.length);
  for (const { path, method, roles, scope } of OPERATIONS) {
    const operation = openApi.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    const ofKeys = "For the holder of an API key with the permission `all` or `read`.";
    const who = { public: "Needs no sign-in.", key: ofKeys }[scope as string] ?? `For ${roles.join(", ")}.`;
    assert.ok(operation?.description.endsWith(who), path);
  }
});

test("the query parameters that a request needs are marked as required, and no others", () => {
  const required: Record<string, string[]> = {};
  for (const { operationId, parameters } of Object.values(openApi.paths).flatMap((methods) => Object.values(methods))) {
    const names = parameters.flatMap(({ name, in: place, required: isRequired }) =>
      place === "query" && isRequired === true ? [name] : [],
    );
    if (names.length > 0) required[operationId] = names;
  }
  assert.deepEqual(required, {
    tryBudget: ["scope", "limit"],
    groupTurns: ["by"],
    readUsageLines: ["month"],
    readAllUsageLines: ["month"],
  });
});

test("exactly the operations with a body have a 413", () => {
  for (const [path, methods] of Object.entries(openApi.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { requestBody, responses } = operation as { requestBody?: unknown; responses?: Record<string, unknown> };
      assert.equal("413" in (responses ?? {}), requestBody !== undefined, `${method} ${path}`);
    }
  }
});

test("every reference resolves", () => {
  for (const [, kind = "", name = ""] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
    assert.ok(openApi.components[kind]?.[name] !== undefined, `${kind}/${name}`);
  }
});

test("the committed openapi-manage.json matches the code", () => {
  const committed = readFileSync(new URL("../../../openapi-manage.json", import.meta.url), "utf8");
  assert.ok(committed === text, "run `npm run openapi`");
});

test("docs/management.md has the table of paths, roles and commands", () => {
  const page = readFileSync(new URL("../../../docs/management.md", import.meta.url), "utf8");
  const table = buildPathsTable();
  assert.ok(page.includes(`\n${table}\n`), "run `npm run openapi`");
  assert.equal(table.trimEnd().split("\n").length, OPERATIONS.length + 2);
  for (const { name: operation, roles } of OPERATIONS)
    assert.deepEqual(roles, MANAGE_ROLES.slice(0, roles.length), operation);
  for (const row of [
    "| `POST /session` | everybody |  |",
    "| `GET /me` | the holder of an API key |  |",
    "| `POST …/budgets` | admin | `budgets set` |",
    "| `GET …/tokens` | admin | `tokens list` |",
    "| `DELETE /operators/sessions/{session_id}` | operator | `operator end-session` |",
  ]) {
    assert.ok(table.includes(`${row}\n`), row);
  }
});
