// Divides long work over turns of the event loop.

/** Resolves in the next turn of the event loop: other requests are served in between. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
