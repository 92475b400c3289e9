// Scripts of provider parts for the laws: any order that an adapter may send, cut, failed or hanging anywhere.
import fc from "../support/fast-check.ts";
import { FAILURE_CODES, HTTP_FAILURE_CODES } from "../../src/contract/failures.ts";
import type { ProviderPart } from "../../src/ports/provider.ts";
import { paced } from "../support/paced.ts";
import { type Act, fails, type Script, USAGE } from "../support/scripted-provider.ts";

/** One seed for all laws, printed by fast-check when one breaks; another is tried with LAW_SEED. */
export const SEED = Number(process.env["LAW_SEED"] ?? 20261121);

/** The ending of a script. */
export type Ending = "finished" | "incomplete" | "failed" | "fault" | "out_of_order" | "hangs";

export interface GeneratedScript {
  /** Bursts of parts: those of one network chunk. */
  readonly bursts: readonly (readonly ProviderPart[])[];
  readonly ending: Ending;
  readonly failure: (typeof FAILURE_CODES)[number];
}

/** Text that is difficult for frames, escapes and sizes. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).map((drawn) => drawn.replaceAll("\u0000", "").toWellFormed()),
  fc.constantFrom("", "a", "\n\n", "data: x", "\u2028", "👋🏽", '"\\', "ü".repeat(20)),
);

const annotation = {
  type: "url_citation" as const,
  url: "https://a.example",
  title: "A",
  start_index: 0,
  end_index: 1,
};

/** The output of a model, item by item; calls may overlap. */
const step: fc.Arbitrary<readonly ProviderPart[]> = fc.oneof(
  { weight: 4, arbitrary: text.map((said): readonly ProviderPart[] => [{ type: "text", text: said }]) },
  fc.constant<readonly ProviderPart[]>([{ type: "annotation", annotation }]),
  text.map((said): readonly ProviderPart[] => [{ type: "refusal", text: said }]),
  fc
    .record({ summary: fc.array(text, { maxLength: 2 }), encryptedContent: fc.option(fc.constant("opaque")) })
    .map((drawn): readonly ProviderPart[] => [{ type: "reasoning", ...drawn }]),
  fc.constant<readonly ProviderPart[]>([{ type: "usage", usage: USAGE }]),
  fc.constant<readonly ProviderPart[]>([{ type: "state", state: { opaque: true } }]),
  fc.constant<readonly ProviderPart[]>([{ type: "warning", code: "w", message: "w", param: null }]),
);

const call = fc.record({
  at: fc.nat(20),
  length: fc.nat(6),
  deltas: fc.array(fc.constantFrom('{"a"', ":1}", "", "{}", "not json", "👋"), { maxLength: 4 }),
});

export const scripts: fc.Arbitrary<GeneratedScript> = fc
  .record({
    steps: fc.array(step, { maxLength: 10 }),
    calls: fc.array(call, { maxLength: 3 }),
    cuts: fc.array(fc.nat(20), { maxLength: 6 }),
    ending: fc.constantFrom<Ending>("finished", "finished", "incomplete", "failed", "fault", "out_of_order", "hangs"),
    failure: fc.constantFrom(...FAILURE_CODES),
  })
  .map(({ steps, calls: drawn, cuts, ending, failure }) => {
    const timeline: ProviderPart[][] = Array.from({ length: 32 }, () => []);
    for (const [index, parts] of steps.entries()) timeline[index * 2]?.push(...parts);
    for (const [index, { at, length, deltas }] of drawn.entries()) {
      timeline[at]?.push({ type: "call_started", index, callId: `call_${index}`, name: "look_up" });
      for (const [place, delta] of deltas.entries()) {
        timeline[at + Math.min(place, length)]?.push({ type: "call_arguments", index, delta });
      }
      timeline[at + length]?.push({ type: "call_finished", index });
    }
    const parts = timeline.flat();
    const borders = [...new Set(cuts.map((cut) => cut % (parts.length + 1)))].sort((one, other) => one - other);
    const bursts = [...borders, parts.length].map((end, index) =>
      parts.slice(index === 0 ? 0 : borders[index - 1], end),
    );
    return { bursts, ending, failure };
  });

/** The script as a provider plays it, in bursts; `hangs` never ends by itself. */
export function toScript({ bursts, ending, failure }: GeneratedScript): Script {
  const acts: Act[] = [...bursts];
  switch (ending) {
    case "finished":
      acts.push([{ type: "finished", incompleteReason: null }]);
      break;
    case "incomplete":
      acts.push([{ type: "finished", incompleteReason: "max_output_tokens" }]);
      break;
    case "failed":
      acts.push(fails(failure));
      break;
    case "fault":
      acts.push(new Error("a bug"));
      break;
    case "out_of_order":
      acts.push([{ type: "call_arguments", index: 99, delta: "x" }], [{ type: "finished", incompleteReason: null }]);
      break;
    case "hangs":
      acts.push(new Promise(() => {}));
      break;
    default:
      ending satisfies never;
  }
  return paced(acts);
}

/** Whether a non-streaming create gets an HTTP error after such a script. */
export function isWithdrawn({ ending, failure }: GeneratedScript): boolean {
  return ending === "failed" && (HTTP_FAILURE_CODES as readonly string[]).includes(failure);
}
