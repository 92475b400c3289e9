/** The worst shapes of generateContent. */
import { chain, event, many, type Shapes, THOUGHT, times } from "./shape.ts";

function chunk(parts: readonly unknown[], rest: object = {}): string {
  return event({ candidates: [{ content: { role: "model", parts }, index: 0, ...rest }] });
}

const STOP = chunk([], { finishReason: "STOP" });

export const GEMINI_SHAPES: Shapes = {
  "gemini-calls": () =>
    chain(
      many(() => chunk([{ functionCall: { name: "f", args: {} } }]), 9_000),
      STOP,
    ),
  "gemini-endless-calls": () =>
    chain(
      many(() => chunk([{ functionCall: { name: "f", args: {} } }])),
      STOP,
    ),
  "gemini-calls-together": () =>
    chain(
      many(() => chunk(times(20_000, () => ({ functionCall: { name: "f" } })))),
      STOP,
    ),
  "gemini-letters-of-text": () =>
    chain(
      many(() => chunk([{ text: "a" }])),
      STOP,
    ),
  "gemini-parts-of-text": () =>
    chain(
      many(() => chunk(times(80_000, () => ({ text: "a" })))),
      STOP,
    ),
  "gemini-endless-reasoning": () => many(() => chunk([{ text: THOUGHT, thought: true }])),
  "gemini-parts-of-thoughts": () =>
    chain(
      many(() => chunk(times(30_000, () => ({ text: "a", thought: true })))),
      STOP,
    ),
  "gemini-thoughts-and-calls": () =>
    chain(
      many(() => chunk([{ text: "a", thought: true }, { functionCall: { name: "f" } }])),
      STOP,
    ),
  "gemini-document": () =>
    chain(
      JSON.stringify([
        { candidates: [{ content: { parts: times(500_000, () => ({ text: "a" })) }, finishReason: "STOP" }] },
      ]),
    ),
  "gemini-document-of-chunks": () =>
    chain(
      "[",
      many((index) => `${index === 0 ? "" : ","}{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}`, 140_000),
      "]",
    ),
};
