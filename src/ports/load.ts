// The load of this process: an overloaded one sheds new work early.

export interface Load {
  /** Whether the event loop has been so late recently that new turns would only make all turns slower. */
  isOverloaded(): boolean;
}
