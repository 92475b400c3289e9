// The client's own tool loop, which keeps the history itself, on every provider.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ResponsesToolRunner, ResponsesToolRunnerError, runnerFunction } from "openai/helpers/responses-tool-runner";
import { zodResponsesFunction } from "openai/helpers/zod";
import { z } from "zod";
import { onEveryProvider } from "./gateway.ts";

const lookUp = runnerFunction(
  zodResponsesFunction({
    name: "look_up",
    description: "Looks a word up",
    parameters: z.object({ word: z.string() }),
    function: ({ word }) => `found ${word}`,
  }),
);

const ROUNDS = ['/tool look_up {"word":"a"}', '/tool look_up {"word":"ö"}', "/then"].join("\n");

onEveryProvider((given) => {
  const { model } = given;
  const run = (content: string, stream: boolean) =>
    new ResponsesToolRunner({ functions: [lookUp] }).run(
      given.client,
      { model, input: [{ role: "user", content }] },
      { stream, maxSteps: 4 },
    );

  for (const stream of [false, true]) {
    const how = stream ? "streamed" : "not streamed";
    test(`the tool runner runs the calls to the final text, ${how}`, async () => {
      const { output_text } = await run(ROUNDS, stream);
      assert.match(output_text, /returned: found a\n.* returned: found ö$/);
    });

    test(`text before a call ends the tool runner, which resends it, ${how}`, async () => {
      await assert.rejects(run(`/say Let me see.\n${ROUNDS}`, stream), ResponsesToolRunnerError);
    });
  }
});
