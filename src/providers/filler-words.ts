// Words that stand where a wire wants a message and the history has none.

/** The user's, before a history that begins with the model. */
export const OPENING = "(The conversation begins with the assistant.)";
/** The user's, behind a history that ends with the model: its own words there would be a beginning to go on with. */
export const CLOSING = "Continue.";
/** The model's, between the results of its calls and the user. */
export const BRIDGE = "(No answer followed.)";
