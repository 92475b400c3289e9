// What an operator did wrong or can put right: told in one line, without a stack.

/** Wrong configuration, wrong arguments, a file that can't be read: the message says what is wrong and what to do. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
