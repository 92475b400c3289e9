// How the generations of models differ on this wire, by the provider's own names.

export interface ModelTraits {
  /** How a model is told how much to think: by a level, by a budget of tokens, or not at all. */
  readonly thinking: "level" | "budget" | "none";
  /** Whether each round of a turn needs the thought signature of its calls. */
  readonly signsCalls: boolean;
  /** Whether calls can be held to their schemas while text stays allowed (mode VALIDATED). */
  readonly validatesCalls: boolean;
}

/** Gemini 3 and later; also for names that nobody here knows, which are newer ones. */
const NEW: ModelTraits = { thinking: "level", signsCalls: true, validatesCalls: true };

/** Older ones by the beginning of their names. */
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
