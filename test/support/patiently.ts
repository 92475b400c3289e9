// The reply of a turn that is repeated: between its calls it waits for the clock of its service.
import type { Reply } from "./http-client.ts";
import type { TestService } from "./service.ts";

/** Advances the clock until the reply is there. */
export async function patiently(on: Pick<TestService, "clock">, reply: Promise<Reply>): Promise<Reply> {
  const over = reply.then(() => true);
  const step = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    await on.clock.advance(1);
    return false;
  };
  // oxlint-disable-next-line no-await-in-loop -- one step of the clock after the other
  while (!(await Promise.race([over, step()])));
  return reply;
}
