// Waits for what happens elsewhere in the process, without sleeping: one turn of the event loop at a time.

/** Resolves once the condition holds; fails after five real seconds, naming what was waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > 5000) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
