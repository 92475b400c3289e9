// The module that the embedded store's threads run in a test.
import { installation } from "../../src/installation/installation.ts";
import { askFor } from "./shared.ts";

let used: Promise<void> | null = null;

/**
 * Lets the threads that start from now on run a bundle, where the runner shares one: from the sources each takes 0.15 s
 * of processor time to start, and a service has up to four. A file that runs without the runner's global setup needs no
 * build.
 */
export function useBuiltThread(): Promise<void> {
  return (used ??= replaceThread());
}

async function replaceThread(): Promise<void> {
  const storeThread = await askFor("store-thread");
  if (storeThread !== null) Object.assign(installation, { storeThread });
}
