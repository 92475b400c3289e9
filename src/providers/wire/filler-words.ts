// Messages inserted where a wire requires one and the history has none.

/** From the user, before a history that begins with the assistant. */
export const OPENING = "(The conversation begins with the assistant.)";
/** From the user, after a history that ends with the assistant: without it the model would continue its own message. */
export const CLOSING = "Continue.";
/** From the assistant, between the results of its calls and the next user message. */
export const BRIDGE = "(No answer followed.)";
