// Entry of the command line; bin/turngate.js starts it faster. Without top-level await: the script of the single executable is CommonJS.
import { runProgram } from "./cli/program.ts";

void run();

async function run(): Promise<void> {
  const exitCode = await runProgram(process.argv.slice(2));
  // Not process.exit, which would truncate output to a pipe. `serve` resolves when it listens.
  if (exitCode !== 0) process.exitCode = exitCode;
}
