// The responses that clients have seen: an acknowledged response must be found again, and a settled one unchanged.
import { isTerminal, type ResponseStatus } from "../../src/contract/statuses.ts";
import type { Loose } from "./exchange.ts";
import type { Violations } from "./violations.ts";

export class Memory {
  /** Every response that a client has seen: its settled object once one was received, null until then. */
  readonly responses = new Map<string, Loose>();
  /** How many settled ones failed because the service died. */
  runFailed = 0;
  readonly #violations: Violations;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** Records the id in a stream's first events; a retry's stream replays a settled response from its beginning. */
  hearOf(id: string): void {
    if (!this.responses.has(id)) this.responses.set(id, null);
  }

  /** Records a response object from any reply. */
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
