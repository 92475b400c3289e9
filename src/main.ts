// Entry of the command line; bin/turngate.js starts it faster.
import { runProgram } from "./cli/program.ts";

const exitCode = await runProgram(process.argv.slice(2));
// Not process.exit, which would truncate output to a pipe. `serve` resolves when it listens.
if (exitCode !== 0) process.exitCode = exitCode;
