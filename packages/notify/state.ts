// How far each target has been served: a file of mode 0600, replaced as a whole, so that a crash leaves the old or the new one.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { OperatorError } from "../kit/operator-error.ts";

/** A target's place in the feed. */
export interface Progress {
  /** The id of the last event that was delivered, dropped or not wanted. */
  readonly after: number;
  /** Since when the next one could not be delivered, Unix milliseconds; null: no attempt has failed. */
  readonly failingSinceMs: number | null;
}

export interface State {
  /** Null: a target that is new. */
  get(target: string): Progress | null;
  set(target: string, progress: Progress): void;
}

/** Opens the file, or begins without one. Throws an OperatorError when it cannot be read or is no such file. */
export function openState(path: string): State {
  const targets = new Map<string, Progress>(Object.entries(read(path)));
  return {
    get: (target) => targets.get(target) ?? null,
    set(target, progress) {
      targets.set(target, progress);
      write(path, JSON.stringify({ targets: Object.fromEntries(targets) }, null, 2));
    },
  };
}

function read(path: string): Readonly<Record<string, Progress>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new OperatorError(`${path} can't be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    const { targets } = JSON.parse(text) as { targets: Readonly<Record<string, Progress>> };
    for (const { after } of Object.values(targets)) if (!Number.isSafeInteger(after)) throw new Error("no id");
    return targets;
  } catch (error) {
    throw new OperatorError(`${path} is no state of turngate notify; remove it to begin with the newest event.`, {
      cause: error,
    });
  }
}

function write(path: string, text: string): void {
  const next = `${path}.next`;
  rmSync(next, { force: true });
  writeFileSync(next, `${text}\n`, { flag: "wx", mode: 0o600, flush: true });
  renameSync(next, path);
}
