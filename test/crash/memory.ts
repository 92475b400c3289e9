// What the clients were told, by response: an acknowledged turn must be found again, and a settled one unchanged.
import { isTerminal, type ResponseStatus } from "../../src/contract/statuses.ts";
import type { Loose } from "./exchange.ts";
import type { Violations } from "./violations.ts";

export class Memory {
  /** Every response that a client has heard of; its settled object once one was heard, null until then. */
  readonly responses = new Map<string, Loose>();
  /** How many settled ones failed because the service died. */
  runFailed = 0;
  readonly #violations: Violations;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** The id in a stream's first events; the stream of a retry tells a settled response from its beginning. */
  hearOf(id: string): void {
    if (!this.responses.has(id)) this.responses.set(id, null);
  }

  /** A response object that a client was given, by whatever answer. */
  hear(response: Loose, where: string): void {
    const known = this.responses.get(response.id) ?? null;
    if (!isTerminal(response.status as ResponseStatus)) {
      this.#violations.require(
        known === null,
        "I-03",
        () => `${response.id} was settled, then ${where} ${response.status}`,
      );
      if (known === null) this.responses.set(response.id, null);
      return;
    }
    if (known === null) {
      this.responses.set(response.id, response);
      if (response.error?.code === "run_failed") this.runFailed++;
      return;
    }
    const [before, now] = [JSON.stringify(known), JSON.stringify(response)];
    this.#violations.require(before === now, "I-02", () => `${response.id} changed (${where}): ${before} → ${now}`);
  }
}
