// Turns of this process's event loop instead of real time: what has been written to a socket within the process is read in the next turn,
// however busy the machine is.

/** More turns than a connection within the process takes to be accepted, read and answered. */
const TURNS = 20;

/** Resolves once the event loop has turned so often. */
export async function loopTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
