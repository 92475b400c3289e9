// The identifiers a client sees: opaque strings, each kind with its own prefix.
// @spec resources/identifiers

/** Prefix of each kind of public id. `fco_` and `rs_` are settled in docs/wire.md (objects). */
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

/** What an id is made of behind its prefix. */
const ID_REST = "[A-Za-z0-9_-]+";
const ID_REST_ONLY = new RegExp(`^${ID_REST}$`);

/** The regular expression that every id of a kind matches: what the OpenAPI document publishes. */
export function idPattern(kind: IdKind): string {
  return `^${ID_PREFIXES[kind]}${ID_REST}$`;
}

/** Whether a text could be an id of that kind: its prefix, then one or more characters that ids are made of. */
export function isIdOf(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(prefix) && ID_REST_ONLY.test(text.slice(prefix.length));
}
