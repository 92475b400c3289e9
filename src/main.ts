// The command line's entry; bin/turngate.js starts it faster.
import { runProgram } from "./boot/program.ts";

const exitCode = await runProgram(process.argv.slice(2));
// Not process.exit: what is written to a pipe has to get there first. `serve` resolves once it is up.
if (exitCode !== 0) process.exitCode = exitCode;
