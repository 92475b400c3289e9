// Releases the memory of a reply once the reply has been sent or its client has disconnected.
import type { Reply } from "../request-context.ts";

/** The same reply, which calls `release` when it has been sent; called at once when the reply rejects. */
export function releaseWhenSent(reply: Reply | Promise<Reply>, release: () => void): Reply | Promise<Reply> {
  if (!(reply instanceof Promise)) return { ...reply, onSent: release };
  return reply.then(
    (settled) => ({ ...settled, onSent: release }),
    (error: unknown) => {
      release();
      throw error;
    },
  );
}
