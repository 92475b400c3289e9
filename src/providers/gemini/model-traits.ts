// Differences between generations of models, by upstream name.

export interface ModelTraits {
  /** How thinking is controlled: by a level, a budget of tokens, or not at all. */
  readonly thinking: "level" | "budget" | "none";
  /** Whether replayed rounds need the thought signatures of their calls. */
  readonly signsCalls: boolean;
  /** Whether mode VALIDATED exists, which enforces the schemas of calls and still allows text. */
  readonly validatesCalls: boolean;
  /** Whether a format may stand beside tools that may be called. */
  readonly formatsBesideTools: boolean;
  /** Whether instructions have a field of their own. */
  readonly takesInstructions: boolean;
}

/** Gemini 3 and later, and unknown names, which are newer. */
const NEW: ModelTraits = {
  thinking: "level",
  signsCalls: true,
  validatesCalls: true,
  formatsBesideTools: true,
  takesInstructions: true,
};

const GEMMA: ModelTraits = { ...NEW, thinking: "none", signsCalls: false, validatesCalls: false };
const BEFORE_GEMINI_3: ModelTraits = { ...GEMMA, formatsBesideTools: false };

/** Other models by the beginning of their names; the first that fits. */
const OTHERS: readonly (readonly [RegExp, ModelTraits])[] = [
  [/^gemini-2\.5/, { ...BEFORE_GEMINI_3, thinking: "budget" }],
  [/^gemini-(?:1|2\.0)/, BEFORE_GEMINI_3],
  [/^gemma-[1-3]/, { ...GEMMA, takesInstructions: false }],
  [/^gemma/, GEMMA],
];

/** The traits of a model. */
export function traitsOf(upstreamModel: string): ModelTraits {
  return OTHERS.find(([name]) => name.test(upstreamModel))?.[1] ?? NEW;
}
