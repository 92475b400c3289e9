import assert from "node:assert/strict";
import { test } from "node:test";
import type OpenAI from "openai";
import type { Response, ResponseInputItem, Tool } from "openai/resources/responses/responses";
import { bare, onEveryProvider } from "./gateway.ts";

const LOOK_UP: Tool = {
  type: "function",
  name: "look_up",
  description: "Looks a word up",
  parameters: {
    type: "object",
    properties: { word: { type: "string" } },
    required: ["word"],
    additionalProperties: false,
  },
  strict: true,
};
const ADD: Tool = { ...LOOK_UP, name: "add", description: "Adds" };
const TOOLS = [LOOK_UP, ADD];

/** Three rounds: two parallel calls, then one, then text. */
const THREE_ROUNDS = [
  '/say Let me see.\n/tool look_up {"word":"a"}\n/tool add {"word":"b"}',
  '/then\n/tool look_up {"word":"c"}',
  "/then",
].join("\n");

onEveryProvider((given) => {
  const { model } = given;

  test("a tool loop over previous_response_id ends with text", async () => {
    const { responses } = given.client;
    let response = await responses.create({ model, input: THREE_ROUNDS, tools: TOOLS });
    const first = response;
    const rounds = [callsOf(response)];
    while (callsOf(response).length > 0) {
      const input = answersTo(response);
      response = await responses.create({ model, previous_response_id: response.id, input });
      rounds.push(callsOf(response));
    }
    assert.deepEqual(rounds, [
      [
        ["look_up", "a"],
        ["add", "b"],
      ],
      [["look_up", "c"]],
      [],
    ]);
    assert.equal(first.output_text, "Let me see.");
    assert.equal(response.output_text, "look_up returned: found c");
    // Every response of one response continues what the response continued.
    assert.equal(response.previous_response_id, null);
    assert.deepEqual(response.tools, first.tools);
    // Usage is the running total of the exchange.
    assert.ok((response.usage?.total_tokens ?? 0) > (first.usage?.total_tokens ?? 0));
  });

  test("a tool loop in a conversation needs no previous_response_id", async () => {
    const { responses, conversations } = given.client;
    const conversation = await conversations.create();
    let response = await responses.create({ model, input: THREE_ROUNDS, tools: TOOLS, conversation: conversation.id });
    while (callsOf(response).length > 0) {
      response = await responses.create({ model, conversation: conversation.id, input: answersTo(response) });
    }
    assert.equal(response.output_text, "look_up returned: found c");
    assert.deepEqual(response.conversation, { id: conversation.id });
    const types: string[] = [];
    for await (const item of conversations.items.list(conversation.id, { limit: 3 })) types.push(item.type);
    assert.deepEqual(types, [
      "message",
      "message",
      "function_call",
      "function_call",
      "function_call_output",
      "function_call_output",
      "function_call",
      "function_call_output",
      "message",
    ]);
  });

  test("a streamed tool loop gives the helper whole arguments", async () => {
    const { responses } = given.client;
    const streamed = responses.stream({ model, input: '/tool look_up {"word":"streamed"}\n/then', tools: TOOLS });
    let argumentsSoFar = "";
    streamed.on("response.function_call_arguments.delta", ({ delta, snapshot }) => {
      argumentsSoFar += delta;
      assert.equal(snapshot, argumentsSoFar);
    });
    const first = await streamed.finalResponse();
    assert.equal(argumentsSoFar, '{"word":"streamed"}');
    assert.deepEqual(bare(first), bare(await responses.retrieve(first.id)));
    const input = answersTo(first);
    const second = await responses.stream({ model, previous_response_id: first.id, input }).finalResponse();
    assert.equal(second.output_text, "look_up returned: found streamed");
    assert.deepEqual(bare(second), bare(await responses.retrieve(second.id)));
  });

  test("strict arguments are parsed by the parse helper", async () => {
    const parsed = await given.client.responses.parse({ model, input: '/tool look_up {"word":"x"}', tools: TOOLS });
    const [call] = parsed.output;
    assert.ok(call?.type === "function_call");
    assert.deepEqual(call.parsed_arguments, { word: "x" });
  });

  test("a call and its output in a first response are a real exchange", async () => {
    const { output_text } = await given.client.responses.create({
      model,
      input: [
        { role: "user", content: "What is a gnu?" },
        { type: "function_call", call_id: "call_1", name: "look_up", arguments: '{"word":"gnu"}' },
        { type: "function_call_output", call_id: "call_1", output: "an antelope" },
      ],
    });
    assert.match(output_text, /returned: an antelope$/);
  });

  test("calls past max_tool_calls are cut and counted", async () => {
    const response = await given.client.responses.create({
      model,
      input: '/tool look_up {"word":"a"}\n/tool add {"word":"b"}\n/tool add {"word":"c"}',
      tools: TOOLS,
      max_tool_calls: 1,
    });
    assert.deepEqual(callsOf(response), [["look_up", "a"]]);
    assert.equal((response as unknown as Record<string, unknown>)["svc:tool_calls_dropped"], 2);
  });

  test("with parallel calls turned off there is one call a round", async () => {
    const response = await given.client.responses.create({
      model,
      input: '/tool look_up {"word":"a"}\n/tool add {"word":"b"}',
      tools: TOOLS,
      parallel_tool_calls: false,
    });
    assert.deepEqual(callsOf(response), [["look_up", "a"]]);
    assert.equal(response.parallel_tool_calls, false);
  });

  for (const tool_choice of [
    "required",
    { type: "function", name: "look_up" },
    { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "look_up" }] },
  ] as const) {
    test(`tool_choice ${JSON.stringify(tool_choice)} causes a call and is echoed`, async () => {
      const response = await given.client.responses.create({
        model,
        input: "No need for tools",
        tools: TOOLS,
        tool_choice: tool_choice as OpenAI.Responses.ResponseCreateParams["tool_choice"] & object,
      });
      assert.equal(callsOf(response)[0]?.[0], "look_up");
      assert.deepEqual(response.tool_choice, tool_choice);
    });
  }

  test("a new message while a call waits is an error that names the call, and deleting the response closes it", async () => {
    const { responses, conversations } = given.client;
    const { id: conversation } = await conversations.create();
    const asking = await responses.create({ model, input: "/tool look_up", tools: TOOLS, conversation });
    const [call] = asking.output;
    assert.ok(call?.type === "function_call");
    await assert.rejects(responses.create({ input: "Never mind", conversation }), {
      status: 400,
      code: "invalid_input",
      param: "input",
      message: new RegExp(call.call_id),
    });
    await responses.delete(asking.id);
    const next = await responses.create({ model, input: "Never mind", conversation });
    assert.equal(next.output_text, "Never mind");
  });
});

function callsOf({ output }: Pick<Response, "output">): [string, string][] {
  return output.flatMap((item): [string, string][] =>
    item.type === "function_call" ? [[item.name, JSON.parse(item.arguments).word]] : [],
  );
}

function answersTo({ output }: Pick<Response, "output">): ResponseInputItem[] {
  return output.flatMap((item) =>
    item.type === "function_call"
      ? [{ type: "function_call_output", call_id: item.call_id, output: `found ${JSON.parse(item.arguments).word}` }]
      : [],
  );
}
