// Waits for a condition without sleeping: one turn of the event loop at a time.

/** Longer than any condition takes on a busy machine: only a test that fails waits for so long. */
const LIMIT_MS = 30_000;

/** Resolves once the condition holds; fails after thirty real seconds, naming the condition. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > LIMIT_MS) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
