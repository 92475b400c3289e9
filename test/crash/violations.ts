// Collects violations of the invariants.
export class Violations {
  readonly found: string[] = [];

  /** Records a violation of an invariant of docs/reliability.md. */
  add(invariant: string, what: string): void {
    this.found.push(`${invariant}: ${what}`);
  }

  /** Records one unless the condition holds. */
  require(condition: boolean, invariant: string, what: () => string): void {
    if (!condition) this.add(invariant, what());
  }
}
