// Warnings about the configuration, printed by a start and by commands.

/** Writes warnings to stderr, a line each, so that stdout stays parseable. */
export function printWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
}
