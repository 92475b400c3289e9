// Public identifiers: opaque strings with a prefix for each kind. @spec resources/identifiers

/** Prefix of each kind of public id. `fco_` and `rs_` are settled in docs/wire.md (Objects). */
export const ID_PREFIXES = {
  response: "resp_",
  conversation: "conv_",
  message: "msg_",
  function_call: "fc_",
  function_call_output: "fco_",
  reasoning: "rs_",
} as const;

export type IdKind = keyof typeof ID_PREFIXES;
export type ResponseId = `resp_${string}`;
export type ConversationId = `conv_${string}`;
export type ItemId = `msg_${string}` | `fc_${string}` | `fco_${string}` | `rs_${string}`;

/** The part of an id after its prefix. */
const ID_REST = "[A-Za-z0-9_-]+";
const ID_REST_ONLY = new RegExp(`^${ID_REST}$`);

/** The regular expression for ids of a kind, as the OpenAPI document publishes it. */
export function idPattern(kind: IdKind): string {
  return `^${ID_PREFIXES[kind]}${ID_REST}$`;
}

/** Whether a text has the form of an id of that kind. */
export function isIdOf(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(prefix) && ID_REST_ONLY.test(text.slice(prefix.length));
}
