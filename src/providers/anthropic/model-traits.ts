// Differences between the provider's models, by upstream name. They also hold for models that turngate.yaml defines.

export interface ModelTraits {
  /**
   * `always`: adaptive and never off. `adaptive`, `budget`: how thinking is turned on. `unknown`: as the catalog says.
   */
  readonly thinking: "always" | "adaptive" | "budget" | "unknown";
  /** Whether it thinks by default, so that thinking has to be turned off explicitly. */
  readonly thinksByDefault: boolean;
  /** Its effort when the request has none. */
  readonly defaultEffort: "medium" | "high";
  /** Whether messages may have the role `system`. */
  readonly takesSystemMessages: boolean;
  /** Whether each thinking block is bound to the exact prompt before it ("preserved thinking"). */
  readonly isBound: boolean;
}

const ALWAYS_BOUND: ModelTraits = {
  thinking: "always",
  thinksByDefault: true,
  defaultEffort: "high",
  takesSystemMessages: true,
  isBound: true,
};
const ALWAYS: ModelTraits = { ...ALWAYS_BOUND, isBound: false };
const BY_DEFAULT: ModelTraits = { ...ALWAYS, thinking: "adaptive" };
const ON_DEMAND: ModelTraits = { ...BY_DEFAULT, thinksByDefault: false, takesSystemMessages: false };

/** The safe choice: nothing is sent that only some models accept. */
const UNKNOWN: ModelTraits = { ...ON_DEMAND, thinking: "unknown" };

const TRAITS: ReadonlyMap<string, ModelTraits> = new Map([
  ["claude-fable-5-2", ALWAYS_BOUND],
  ["claude-mythos-5-2", ALWAYS_BOUND],
  ["claude-fable-5-1", ALWAYS_BOUND],
  ["claude-mythos-5-1", ALWAYS_BOUND],
  ["claude-opus-5-5", { ...ALWAYS_BOUND, defaultEffort: "medium" }],
  ["claude-sonnet-5-5", ALWAYS_BOUND],
  ["claude-haiku-5-5", { ...BY_DEFAULT, defaultEffort: "medium", isBound: true }],
  ["claude-fable-5", ALWAYS],
  ["claude-mythos-5", ALWAYS],
  ["claude-opus-5", BY_DEFAULT],
  ["claude-sonnet-5", { ...BY_DEFAULT, takesSystemMessages: false }],
  ["claude-opus-4-8", { ...ON_DEMAND, takesSystemMessages: true }],
  ["claude-opus-4-7", ON_DEMAND],
  ["claude-opus-4-6", ON_DEMAND],
  ["claude-sonnet-4-6", ON_DEMAND],
  ["claude-opus-4-5", { ...ON_DEMAND, thinking: "budget" }],
  ["claude-sonnet-4-5", { ...ON_DEMAND, thinking: "budget" }],
  ["claude-haiku-4-5", { ...ON_DEMAND, thinking: "budget" }],
]);

/** A name of the provider's, dated or not, within those of its hosts: `eu.anthropic.claude-opus-4-5-20251101-v1:0`, an ARN. */
const NAME = /(?:^|[./])(claude-[a-z0-9-]+?)(?:[-@]20\d{6})?(?:-v\d+(?::\d+)?)?$/;

/** The traits of a model by its upstream name. */
export function traitsOf(upstreamModel: string): ModelTraits {
  return TRAITS.get(NAME.exec(upstreamModel)?.[1] ?? "") ?? UNKNOWN;
}
