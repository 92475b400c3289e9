// What a running service serves, in a file beside its embedded database. A command in another shell reads it: that shell
// may lack the environment that the service was started with, such as the keys of its providers.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { presentModel } from "../manage/models.ts";

/** A service that does not reply within this time counts as gone. */
const REPLY_MS = 1000;

export interface Serving {
  readonly process: number;
  /** Ends in `/v1`. */
  readonly base_url: string;
  /** The providers that are on, each with its number of models and why. */
  readonly serves: string;
  readonly models: readonly ReturnType<typeof presentModel>[];
}

/** The file of one service. Where it can't be written, commands only know less. */
export interface ServingFile {
  /** Writes it, from now on at each update. */
  open(read: () => Serving): void;
  /** Writes it again, if it is open. */
  update(): void;
  /** Removes it. */
  close(): void;
}

/** The file of the service that runs on an embedded database; with another one nothing is written. */
export function createServingFile({ database }: Pick<Config, "database">): ServingFile {
  const path = database.engine === "sqlite" ? pathOf(database.location) : null;
  let read: (() => Serving) | null = null;
  const update = (): void => {
    if (path === null || read === null) return;
    try {
      writeFileSync(`${path}.new`, JSON.stringify(read()), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch {
      // A full disk, for example: the store reports that.
    }
  };
  return {
    open(next) {
      read = next;
      update();
    },
    update,
    close() {
      read = null;
      if (path !== null) rmSync(path, { force: true });
    },
  };
}

/**
 * What the service that runs on the embedded database serves; null: none runs. A killed service leaves its file, so its process has to be
 * there and reply.
 */
export async function findServing({ database }: Pick<Config, "database">): Promise<Serving | null> {
  if (database.engine !== "sqlite") return null;
  try {
    const serving = JSON.parse(readFileSync(pathOf(database.location), "utf8")) as Serving;
    process.kill(serving.process, 0);
    const health = new URL("/healthz", serving.base_url);
    const { ok } = await fetch(health, { signal: AbortSignal.timeout(REPLY_MS) });
    return ok ? serving : null;
  } catch {
    return null;
  }
}

function pathOf(location: string): string {
  return `${location}.serving.json`;
}
