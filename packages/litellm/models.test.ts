// What several deployments and fallbacks become: no turn is sent a limit that its target rejects, and what is lost is counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { read } from "../../test/support/config.ts";
import { importLitellm } from "./import-litellm.ts";

interface Sizes {
  readonly window?: number;
  readonly most?: number;
  readonly usual?: number;
}

/** Two models, the second a fallback of the first. */
function load(first: Sizes, second: Sizes, sections: object = { router_settings: { fallbacks: [{ a: ["b"] }] } }) {
  const model = (name: string, { window, most, usual }: Sizes) => ({
    model_name: name,
    litellm_params: { model: `openai/${name}`, max_tokens: usual },
    model_info: { max_input_tokens: window, max_output_tokens: most },
  });
  return importLitellm(
    "litellm.yaml",
    JSON.stringify({ model_list: [model("a", first), model("b", second)], ...sections }),
  );
}

test("the limits of output are what every target takes, and a start reads them", async () => {
  for (const [first, second, expected] of [
    [{ most: 128_000 }, { most: 64_000 }, [64_000, undefined]],
    [{ most: 64_000, usual: 32_000 }, { most: 8000 }, [8000, 8000]],
    [{ window: 1_000_000, most: 128_000 }, { window: 32_000 }, [32_000, undefined]],
    [{ most: 9000 }, { usual: 4000 }, [9000, 4000]],
    [{}, {}, [undefined, undefined]],
  ] as const) {
    const { text } = load(first, second);
    const [model] = parse(text).models;
    assert.equal(model.targets.length, 2);
    assert.deepEqual([model.max_output_tokens, model.default_output_tokens], expected);
    // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
    const { models } = await read(text, { OPENAI_API_KEY: "k" });
    assert.equal(models.length, 2);
  }
});

test("the limits of one deployment are such that a start reads them", async () => {
  for (const [sizes, expected] of [
    [{ window: 32_000, most: 64_000 }, [32_000, undefined]],
    [{ usual: 40_000 }, [40_000, 40_000]],
    [{ window: 32_000, usual: 40_000 }, [32_000, 32_000]],
    [{ usual: 16_384 }, [undefined, 16_384]],
  ] as const) {
    const { text } = load(sizes, {}, {});
    const [model] = parse(text).models;
    assert.deepEqual([model.max_output_tokens, model.default_output_tokens], expected);
    // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
    await read(text, { OPENAI_API_KEY: "k" });
  }
});

test("fallbacks of the window have a note: here they serve after other failures too", () => {
  const window = (fallbacks: object) =>
    load({}, {}, { litellm_settings: { context_window_fallbacks: [{ a: ["b"] }] }, ...fallbacks });
  const { notes, lost, text } = window({});
  assert.deepEqual(notes, ["context_window_fallbacks of a: after a rate limit too turns go to b; compare the prices."]);
  assert.deepEqual([lost, parse(text).models[0].targets.length], [0, 2]);
  assert.deepEqual(window({ router_settings: { fallbacks: [{ a: ["b"] }] } }).notes, []);
});

test("what is lost of the routing is counted, other settings are only noted", () => {
  for (const [sections, lost] of [
    [{ router_settings: { fallbacks: [{ a: ["gone", "b"] }] } }, 1],
    [{ router_settings: { model_group_alias: { x: "gone", y: "a" } } }, 1],
    [{ router_settings: { cooldown_time: 5, routing_strategy: "usage-based" } }, 2],
    [{ litellm_settings: { num_retries: 3, request_timeout: 9, cache: true, drop_params: true } }, 2],
    [{ litellm_settings: { content_policy_fallbacks: [{ a: ["b"] }] } }, 1],
    [{ general_settings: { master_key: "k" } }, 0],
  ] as const) {
    assert.equal(load({}, {}, sections).lost, lost, JSON.stringify(sections));
  }
});

test("turns are shared by what the first deployment has, and the notes say so", () => {
  for (const [first, second, weights, notes] of [
    [
      { rpm: 5 },
      { weight: 2 },
      [5, 0],
      ["a: rpm of its deployments are shares of its turns here, no limits.", "a: not carried over: weight."],
    ],
    [{ weight: 2, tpm: 9 }, { weight: 1 }, [2, 1], ["a: not carried over: tpm."]],
    [{}, { weight: 2 }, [undefined, undefined], ["a: not carried over: weight."]],
  ] as const) {
    const model_list = [first, second].map((routing, at) => ({
      model_name: "a",
      litellm_params: { model: `openai/${at}`, ...routing },
    }));
    const made = importLitellm("litellm.yaml", JSON.stringify({ model_list }));
    const [model] = parse(made.text).models;
    assert.deepEqual(
      model.targets.map(({ weight }: { weight?: number }) => weight),
      weights,
    );
    assert.deepEqual(made.notes, notes);
  }
});
