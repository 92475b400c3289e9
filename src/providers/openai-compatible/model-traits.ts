// What some models want of a history, by what their names hold: their chat templates, and the servers of their makers, refuse every
// request that is laid out otherwise. None of it harms a model that merely has such a name.

export interface ModelTraits {
  /** Whether the ids of calls must be nine letters and digits. */
  readonly wantsShortCallIds: boolean;
  /** Whether user and model must take turns, the user first, with a word of the model's between results and the user. */
  readonly takesTurns: boolean;
  /** Whether every answer must come with `reasoning_content`, even where nothing is known of what was thought. */
  readonly wantsReasoning: boolean;
}

/** Mistral, Ministral, Devstral, Codestral, Mixtral, Pixtral, …; their rules are those of mistral-common. */
const MISTRAL = /[sx]tral/i;
const GEMMA = /gemma/i;
/** DeepSeek's models that think between their calls, and Kimi's. */
const THINKS_WITH_CALLS = /deepseek-(?:reasoner|v(?:[4-9]|\d\d))|kimi-k/i;

/** The traits of a model by its upstream name. */
export function traitsOf(upstreamModel: string): ModelTraits {
  const isMistral = MISTRAL.test(upstreamModel);
  return {
    wantsShortCallIds: isMistral,
    takesTurns: isMistral || GEMMA.test(upstreamModel),
    wantsReasoning: THINKS_WITH_CALLS.test(upstreamModel),
  };
}
