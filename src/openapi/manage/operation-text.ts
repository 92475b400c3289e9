/** What the document says about an operation. */
export interface OperationText {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
}
