// A conversation that began on one family continues with any other, and on a host of a family with itself and another
// family. Each target is a strict fake of its provider: it rejects the same requests as the real one, and `/history`
// makes it print its prompt.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { FAMILIES, type Family, HOSTS, OPENAI_COMPATIBLE } from "../support/families.ts";
import type { Loose } from "../support/http-client.ts";
import { TestService } from "../support/service.ts";
import { without } from "../support/without.ts";
import { openProviders } from "../support/provider-registry.ts";

const ALL = [...FAMILIES, ...HOSTS];
const started = await Promise.all(ALL.map((family) => family.start()));
const providers = await openProviders(started.map(({ entry }) => entry));
const service = await TestService.start({ providers, models: ALL.map(({ model }) => model) });
after(async () => {
  await service.close();
  await providers.close();
  await Promise.all(started.map((family) => family.close()));
});

/** One turn that ends as expected. */
async function take(family: Family, body: object, status = "completed"): Promise<Loose> {
  const { json, text } = await service.create({ model: family.model.id, ...body });
  assert.equal(json.status, status, text);
  return json;
}

const TOOLS = ["look_up", "get.time"].map((name) => ({
  type: "function",
  name,
  parameters: { type: "object", properties: { word: { type: "string" } } },
}));

const outputsFor = ({ output }: Loose): Loose[] =>
  output
    .filter(({ type }: Loose) => type === "function_call")
    .map(({ call_id, name }: Loose) => ({ type: "function_call_output", call_id, output: `${name} found it` }));

for (const [index, family] of ALL.entries()) {
  test(`${family.name}: empty instructions are not sent`, async () => {
    for (const instructions of [undefined, ""]) await take(family, { input: "/say Hi.", instructions });
    // The two are different histories.
    const [unset, empty] = started[index]!.calls()
      .slice(-2)
      .map(({ body }) => without(body, "prompt_cache_key"));
    assert.deepEqual(empty, unset);
  });
}

/**
 * A conversation up to where it moves: the response to continue from, and the lines that a model of another family must
 * be sent.
 */
interface Story {
  readonly name: string;
  tell(source: Family): Promise<{ readonly latest: Loose; readonly lines: readonly string[] }>;
}

const ROUND =
  '/reason I look.\n/say Let me see.\n/tool look_up {"word":"a"}\n/tool get.time {"word":"b"}\n/then\n/say Found.';
const TOLD_ROUND = ROUND.replaceAll("\n", "\\n");
const EXCHANGE = [
  `user: ${TOLD_ROUND}`,
  "assistant: Let me see.",
  'call c1 look_up: {"word":"a"}',
  'call c2 get.time: {"word":"b"}',
  "result c1: look_up found it",
  "result c2: get.time found it",
];

/** How the output of a refusal looks in the families that split it differently. */
const REFUSALS = new Map([
  ["anthropic", "assistant: Well,I won't."],
  ["gemini", "assistant: Well,"],
]);

const STORIES: readonly Story[] = [
  {
    name: "a text",
    async tell(source) {
      const latest = await take(source, { input: "/reason Hm.\n/say It rains." });
      return { latest, lines: ["user: /reason Hm.\\n/say It rains.", "assistant: It rains."] };
    },
  },
  {
    name: "a tool exchange",
    async tell(source) {
      const asking = await take(source, { input: ROUND, tools: TOOLS });
      const latest = await take(source, { input: outputsFor(asking), previous_response_id: asking.id });
      return { latest, lines: [...EXCHANGE, "assistant: Found."] };
    },
  },
  {
    name: "a refusal",
    async tell(source) {
      const latest = await take(source, { input: "/say Well,\n/refuse I won't." });
      const reply = REFUSALS.get(source.type) ?? "assistant: Well,\\nI won't.";
      return { latest, lines: ["user: /say Well,\\n/refuse I won't.", reply] };
    },
  },
  {
    name: "a refusal without a word",
    async tell(source) {
      const latest = await take(source, { input: "/refuse" });
      return { latest, lines: ["user: /refuse"] };
    },
  },
  {
    name: "an incomplete turn",
    async tell(source) {
      const latest = await take(source, { input: "/stream 500", max_output_tokens: 16 }, "incomplete");
      return { latest, lines: ["user: /stream 500", `assistant: ${latest.output[0].content[0].text}`] };
    },
  },
  {
    name: "a carried exchange",
    async tell(source) {
      const call_id = "longer-than-any-provider's-own/in-letters-that-some-do-not-take/äöü/".repeat(2);
      const latest = await take(source, {
        input: [
          { role: "user", content: "What is a gnu?" },
          { type: "function_call", call_id, name: "a tool", arguments: '{"word":"gnu"}' },
          { type: "function_call_output", call_id, output: "an antelope" },
        ],
      });
      return {
        latest,
        lines: [
          "user: What is a gnu?",
          'call c1 tool: {"word":"gnu"}',
          "result c1: an antelope",
          // Without its name, which is not sent.
          "assistant: tool returned: an antelope",
        ],
      };
    },
  },
];

for (const source of ALL) {
  for (const [index, target] of ALL.entries()) {
    // A host's wire is its family's in another envelope.
    const others = [source, target].filter((family) => HOSTS.includes(family));
    if (others.length === 1 ? ![source, target].includes(OPENAI_COMPATIBLE) : source !== target && others.length === 2)
      continue;
    describe(`from ${source.name} to ${target.name}`, () => {
      const family = started[index];
      const lastCall = () => family?.calls().at(-1);

      for (const story of STORIES) {
        test(`after ${story.name}`, async () => {
          const { latest, lines } = await story.tell(source);
          const next = await take(target, {
            input: "/history",
            previous_response_id: latest.id,
            max_output_tokens: 4000,
          });
          assert.deepEqual(linesOf(next), expectedBy(target, story.name, lines));
          assert.equal(lastCall()?.error, null);
          // And again, from the model that took over.
          const then = await take(target, { input: "/say Still here.", previous_response_id: next.id });
          assert.equal(textOf(then), "Still here.");
        });
      }

      test("in the middle of a turn: the tool output goes to the other model", async () => {
        const asking = await take(source, { input: `${ROUND}\n/history`, tools: TOOLS });
        const reply = await take(target, { input: outputsFor(asking), previous_response_id: asking.id });
        const [, ...received] = linesOf(reply, "Found.");
        assert.deepEqual(
          received,
          EXCHANGE.slice(1).map((line) => spelledBy(target, line)),
        );
        assert.equal(lastCall()?.error, null);
      });

      test("in the middle of a turn whose call was followed by text", async () => {
        const asking = await take(source, { input: '/tool look_up {"word":"a"}\n/say Wait.', tools: TOOLS });
        await take(target, { input: outputsFor(asking), previous_response_id: asking.id });
        assert.equal(lastCall()?.error, null);
      });

      test("in the middle of a turn with text between its calls, which are one round", async () => {
        const input = 'TASK\n/tool look_up {"word":"a"}\n/say Between.\n/tool get.time {"word":"b"}\n/then\n/say Done.';
        const asking = await take(source, { input, tools: TOOLS });
        const body = { input: outputsFor(asking), previous_response_id: asking.id };
        assert.equal(body.input.length, 2);
        assert.equal(textOf(await take(target, body)), "Done.");
        assert.equal(lastCall()?.error, null);
      });

      test("back again: the first model continues from the other", async () => {
        const first = await take(source, { input: ROUND, tools: TOOLS });
        const second = await take(source, { input: outputsFor(first), previous_response_id: first.id });
        const third = await take(target, { input: ROUND, tools: TOOLS, previous_response_id: second.id });
        const fourth = await take(target, { input: outputsFor(third), previous_response_id: third.id });
        const last = await take(source, { input: "/say Back.", previous_response_id: fourth.id });
        assert.equal(textOf(last), "Back.");
      });

      test("items that a client added are sent, whatever their role", async () => {
        const items = ["system", "user", "assistant", "developer", "assistant"].map((role, at) => ({
          role,
          content: `words of ${role} ${at}`,
        }));
        const created = await service.request("POST", "/v1/conversations", { body: { items } });
        const conversation = created.json.id;
        await take(source, { input: "/say One.", conversation });
        const received = textOf(await take(target, { input: "/history", conversation }));
        for (const { content } of items) assert.ok(received.includes(content), `${content} in ${received}`);
        assert.equal(lastCall()?.error, null);
      });
    });
  }
}

/** The lines as the target's family sees them: Anthropic is not sent exchanges that ended in a refusal. */
function expectedBy(target: Family, story: string, lines: readonly string[]): string[] {
  const isRefusal = story.startsWith("a refusal");
  const received = target.type === "anthropic" && isRefusal ? [] : lines;
  return [...received, "user: /history"].map((line) => spelledBy(target, line));
}

/** A tool's name in the characters that a wire allows. */
function spelledBy(target: Family, line: string): string {
  return target.type !== "gemini" && line.startsWith("call ") ? line.replace("get.time", "get_time") : line;
}

/** The lines of a printed history, without their numbers, the ids of calls counted; `opening` stands before it. */
function linesOf(response: Loose, opening = ""): string[] {
  const text = textOf(response).slice(opening.length);
  const ids: string[] = [];
  return text.split("\n").map((line) =>
    line.replace(/^\d+\. /, "").replace(/^(call|result) (\S+?)(:? )/, (_, kind: string, id: string, rest: string) => {
      if (!ids.includes(id)) ids.push(id);
      return `${kind} c${ids.indexOf(id) + 1}${rest}`;
    }),
  );
}

function textOf({ output }: Loose): string {
  return output.flatMap(({ content = [] }: Loose) => content.map(({ text = "" }: Loose) => text)).join("");
}
