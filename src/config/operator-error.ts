/**
 * An error that the operator can fix: wrong configuration or arguments, an unreadable file. The message says what is wrong and what to do,
 * and is printed as one line without a stack.
 */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
