import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { ERROR_CATALOGUE } from "../contract/errors.ts";
import { EVENTS } from "../contract/events.ts";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { buildOpenApi } from "./document.ts";
import type { JsonSchema } from "./json.ts";
import { InputItem } from "../contract/requests.ts";
import { ROUTES } from "../contract/routes.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const text = `${JSON.stringify(buildOpenApi(), null, 2)}\n`;
const openApi = JSON.parse(text) as {
  paths: Record<string, Record<string, { responses: Record<string, Json> }>>;
  components: { schemas: Record<string, Json>; responses: Record<string, Json> };
};

/** Every object inside a JSON value, itself included. */
function* objectsIn(value: Json): Iterable<JsonObject> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const child of Object.values(value)) yield* objectsIn(child);
}

test("the document is valid OpenAPI 3.1", async () => {
  const verdict = await new Validator().validate(JSON.parse(text));
  assert.deepEqual(verdict, { valid: true });
});

test("the validator rejects an invalid document", async () => {
  const broken = { ...JSON.parse(text), paths: { "/models": { get: { responses: 3 } } } };
  assert.equal((await new Validator().validate(broken)).valid, false);
});

test("every route of the table is described, and nothing else", () => {
  const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  assert.deepEqual(described.toSorted(), served.toSorted());
});

test("every code of the catalogue is described under its status, and no other", () => {
  const described = new Map<string, Set<string>>();
  for (const methods of Object.values(openApi.paths)) {
    for (const { responses } of Object.values(methods)) {
      for (const [status, answer] of Object.entries(responses)) {
        for (const code of codesOf(resolve(answer)))
          described.set(code, (described.get(code) ?? new Set()).add(status));
      }
    }
  }
  for (const [code, { status }] of Object.entries(ERROR_CATALOGUE)) {
    const parserStatuses = code === "invalid_input" ? ["408", "413", "417", "431"] : [];
    assert.deepEqual([...(described.get(code) ?? [])].toSorted(), [String(status), ...parserStatuses], code);
  }
  assert.equal(described.size, Object.keys(ERROR_CATALOGUE).length);
});

function resolve(answer: Json): Json {
  const { $ref: reference } = answer as { $ref?: string };
  return reference === undefined ? answer : (openApi.components.responses[reference.split("/").at(-1) ?? ""] ?? null);
}

function codesOf(answer: Json): string[] {
  return [...objectsIn(answer)].flatMap((object) => {
    const code = object["code"] as { enum?: string[] } | undefined;
    return code?.enum ?? [];
  });
}

test("a body that is too large has drawn from the allowance", () => {
  const { responses } = openApi.paths["/responses"]?.["post"] ?? assert.fail("no create");
  const { headers } = resolve(responses["413"] ?? null) as { headers: Record<string, unknown> };
  assert.ok("x-ratelimit-remaining-requests" in headers, JSON.stringify(headers));
});

test("every reference resolves", () => {
  for (const object of objectsIn(openApi)) {
    const reference = object["$ref"];
    if (typeof reference !== "string") continue;
    const found = reference
      .split("/")
      .slice(1)
      .reduce<Json | undefined>((value, key) => (value as JsonObject | undefined)?.[key], openApi as unknown as Json);
    assert.notEqual(found, undefined, reference);
  }
});

test("a named shape is never repeated inline", () => {
  const shapes = new Map(
    Object.entries(openApi.components.schemas).map(([name, schema]) => [JSON.stringify(schema), name]),
  );
  for (const [name, schema] of Object.entries(openApi.components.schemas)) {
    for (const object of objectsIn(schema)) {
      if (object !== schema) assert.equal(shapes.get(JSON.stringify(object)), undefined, `inside ${name}`);
    }
  }
});

test("the document excludes null and empty inputs, empty ids, an empty after and U+0000", () => {
  const document = buildOpenApi();
  const body = schemaAt(document, "components", "schemas", "CreateResponseBody");
  assert.deepEqual(body["required"], ["input"]);
  const takes = (value: unknown) => Check({ anyOf: schemaAt(body, "properties", "input")["anyOf"] } as TSchema, value);
  assert.deepEqual([takes("Hi"), takes(""), takes(null)], [true, false, false]);
  for (const [value, isTaken] of [
    [{ id: "msg_1" }, true],
    [{ id: "" }, false],
    [{ type: "function_call_output", call_id: "", output: "x" }, false],
    [{ type: "function_call", call_id: "c", name: "", arguments: "{}" }, false],
    [{ type: "reasoning", encrypted_content: "e" }, true],
    [{ type: "reasoning", encrypted_content: 5 }, false],
  ] as const) {
    assert.equal(Check(InputItem, value), isTaken, JSON.stringify(value));
  }
  assert.equal(schemaAt(document, "components", "parameters", "after", "schema")["minLength"], 1);
  assert.match(String(schemaAt(document, "info")["description"]), /U\+0000.*rejected with 400/);
});

/** The object at the end of a path. */
function schemaAt(root: JsonSchema, ...path: readonly string[]): JsonSchema {
  return path.reduce((found, step) => found[step] as JsonSchema, root);
}

test("every event of a stream is described", () => {
  const union = openApi.components.schemas["StreamEvent"] as { discriminator: { mapping: Record<string, string> } };
  assert.deepEqual(Object.keys(union.discriminator.mapping), Object.keys(EVENTS));
});

test("the committed openapi.json matches the code", () => {
  const committed = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
  assert.ok(committed === text, "run `npm run openapi`");
});
