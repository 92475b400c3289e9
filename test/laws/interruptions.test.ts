// Never stuck: whatever interrupts responses, and whichever family's model comes next, one plain user message gets a
// reply in every state, with `"svc:unanswered_calls": "drop"` at most.
// @spec endpoints/post-responses, states-and-transitions
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { StoreError } from "../../src/ports/store/store.ts";
import type { ProviderRegistry } from "../../src/ports/provider.ts";
import { FAMILIES } from "../support/families.ts";
import fc from "../support/fast-check.ts";
import { TestService } from "../support/service.ts";
import { type Action, InterruptionProgram, programs } from "./interruption-program.ts";
import { rejectedBy } from "./provider-demands.ts";
import { SEED } from "./provider-scripts.ts";
import { openProviders } from "../support/provider-registry.ts";

/** Use thousands after a change to histories. */
const RUNS = Number(process.env["LAW_RUNS"] ?? 15);

const started = await Promise.all(FAMILIES.map((family) => family.start()));
const real = await openProviders(started.map(({ entry }) => entry));

/** Prompts that some provider would reject. */
const rejected: string[] = [];

/** Each prompt is checked against the rules of all families, without the states, which belong to one. */
const providers: ProviderRegistry = {
  get: (name) => {
    const provider = real.get(name);
    return {
      ...provider,
      name,
      reasoningOf: (...question) => provider.reasoningOf(...question),
      close: () => provider.close(),
      run: (call, receive) => {
        const items = call.prompt.items.filter(({ type }) => type !== "state");
        const why = rejectedBy({ ...call.prompt, items });
        if (why !== null) rejected.push(why);
        return provider.run(call, receive);
      },
    };
  },
  close: () => real.close(),
};

/** Whether the process counts as dead: it settles no response any more. */
let isDead = false;

const service = await TestService.start({
  providers,
  models: FAMILIES.map(({ model }) => model),
  wrapStore: (store) => {
    isDead = false;
    return {
      ...store,
      settleResponse: (settle) =>
        isDead ? Promise.reject(new StoreError("failed", "the process is dead")) : store.settleResponse(settle),
    };
  },
});
after(async () => {
  await service.close();
  await real.close();
  await Promise.all(started.map((family) => family.close()));
});

/** Restarts the service on the same store. Running responses are settled by the next start. */
async function crash(): Promise<void> {
  isDead = true;
  service.gateway.runs.stopAll();
  await service.restart();
}

async function run(actions: readonly Action[]): Promise<void> {
  const models = FAMILIES.map(({ model }) => model.id);
  const program = await InterruptionProgram.open(service, models, crash);
  const served = started.map((family) => family.calls().length);
  try {
    for (const action of actions) await program.act(action);
    await program.goOnEverywhere();
    const errors = started.flatMap((family, index) =>
      family
        .calls()
        .slice(served[index])
        .map(({ error }) => error),
    );
    assert.deepEqual([errors.filter((error) => error !== null), rejected.splice(0)], [[], []]);
  } catch (error) {
    throw new Error(`\n${program.trace.join("\n")}\n${String(error)}`, { cause: error });
  } finally {
    await program.close();
  }
}

test("in every state a plain user message gets a reply, with the field that drops calls at most", async () => {
  await fc.assert(fc.asyncProperty(programs, run), { numRuns: RUNS, seed: SEED });
});
