// Differences between generations of models, by upstream name.

export interface ModelTraits {
  /** How thinking is controlled: by a level, a budget of tokens, or not at all. */
  readonly thinking: "level" | "budget" | "none";
  /** Whether replayed rounds need the thought signatures of their calls. */
  readonly signsCalls: boolean;
  /** Whether mode VALIDATED exists, which enforces the schemas of calls and still allows text. */
  readonly validatesCalls: boolean;
}

/** Gemini 3 and later, and unknown names, which are newer. */
const NEW: ModelTraits = { thinking: "level", signsCalls: true, validatesCalls: true };

/** Older models by the prefix of their names. */
const OLD: readonly (readonly [string, ModelTraits])[] = [
  ["gemini-2.5", { thinking: "budget", signsCalls: false, validatesCalls: false }],
  ["gemini-2.0", { thinking: "none", signsCalls: false, validatesCalls: false }],
  ["gemini-1", { thinking: "none", signsCalls: false, validatesCalls: false }],
  ["gemma", { thinking: "none", signsCalls: false, validatesCalls: false }],
];

/** The traits of a model. */
export function traitsOf(upstreamModel: string): ModelTraits {
  return OLD.find(([prefix]) => upstreamModel.startsWith(prefix))?.[1] ?? NEW;
}
