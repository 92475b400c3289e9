// What the document says about an operation.
import type { ManageOperation } from "../../contract/manage/routes.ts";

export interface OperationText {
  readonly summary: string;
  readonly description?: string;
}

export interface TaggedText extends OperationText {
  readonly tag: string;
}

/** The texts of the operations that stand under one tag. */
export function tagged<Operation extends ManageOperation>(
  tag: string,
  texts: Readonly<Record<Operation, OperationText>>,
): Record<Operation, TaggedText> {
  const entries = Object.entries<OperationText>(texts).map(([operation, text]) => [operation, { tag, ...text }]);
  return Object.fromEntries(entries) as Record<Operation, TaggedText>;
}
