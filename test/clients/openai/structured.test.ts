import assert from "node:assert/strict";
import { test } from "node:test";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { bare, onEveryProvider } from "./gateway.ts";

const Person = z.object({ name: z.string(), age: z.number().int(), email: z.string().nullable() });
const ADA = { name: "Ada", age: 36, email: null };
const INPUT = `/json ${JSON.stringify(ADA)}`;

onEveryProvider((given) => {
  const { model } = given;

  test("output that follows a schema is parsed", async () => {
    const response = await given.client.responses.parse({
      model,
      input: INPUT,
      text: { format: zodTextFormat(Person, "person") },
    });
    assert.deepEqual(response.output_parsed, ADA);
    assert.equal(response.text?.format?.type, "json_schema");
    assert.ok(!("svc:warnings" in response));
  });

  test("streamed output that follows a schema is parsed at its end", async () => {
    const stream = given.client.responses.stream({
      model,
      input: INPUT,
      text: { format: zodTextFormat(Person, "person") },
    });
    const final = await stream.finalResponse();
    assert.deepEqual(final.output_parsed, ADA);
    assert.deepEqual(bare(final), bare(await given.client.responses.retrieve(final.id)));
  });

  test("output that breaks its schema is returned unchanged, with a warning", async () => {
    const response = await given.client.responses.create({
      model,
      input: '/json {"name":1}',
      text: { format: zodTextFormat(Person, "person") },
    });
    assert.equal(response.status, "completed");
    assert.equal(response.output_text, '{"name":1}');
    const { "svc:warnings": warnings } = response as unknown as { "svc:warnings": { code: string }[] };
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ["output_not_valid"],
    );
  });

  test("a format without a schema is an error", async () => {
    const format = { type: "json_schema", name: "none" } as never;
    await assert.rejects(given.client.responses.create({ model, input: "x", text: { format } }), {
      status: 400,
      code: "invalid_input",
      param: "text",
    });
  });
});
