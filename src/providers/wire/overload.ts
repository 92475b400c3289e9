// Recognises an overloaded provider, as opposed to one that is down, on every wire. @spec errors/failed-responses

const OVERLOADED = /overload|slow[ _]down|too[ _]busy|at[ _]capacity|queue is full|high demand/i;
/** Google's canonical status: comes from the model's own servers, not from a proxy in front of them. */
const UNAVAILABLE = /^unavailable$/i;

/** Whether an error code or type means overload, at any status. */
export function isOverloadWord(word: string): boolean {
  return OVERLOADED.test(word);
}

/**
 * Whether an error with this HTTP status means overload: by code or type at any 5xx, by message at 503 only, since other messages may
 * quote a prompt.
 */
export function saysOverloaded(
  status: number,
  { words, message }: { readonly words: readonly string[]; readonly message: string | null },
): boolean {
  if (status < 500) return false;
  if (words.some(isOverloadWord)) return true;
  return status === 503 && (words.some((word) => UNAVAILABLE.test(word)) || OVERLOADED.test(message ?? ""));
}
