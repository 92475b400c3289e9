// What must never happen, where it was seen to.
export class Violations {
  readonly found: string[] = [];

  /** Notes a violation of an invariant of docs/reliability.md. */
  add(invariant: string, what: string): void {
    this.found.push(`${invariant}: ${what}`);
  }

  /** Notes it unless the condition holds. */
  require(condition: boolean, invariant: string, what: () => string): void {
    if (!condition) this.add(invariant, what());
  }
}
