// How busy this process is: new work is refused early when it could only be served late.

export interface Load {
  /** Whether the event loop has lately been so late that new turns would only lengthen every wait. */
  isOverloaded(): boolean;
}
