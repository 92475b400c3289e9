// One server per database.
import { tryLock } from "../../../../packages/kit/lock.ts";
import { StoreError } from "../../../ports/store/store.ts";

/** Holds `<path>.lock` until the returned function is called. Throws a StoreError (`unavailable`) while another server holds it. */
export function acquireLock(path: string): () => void {
  const release = tryLock(path);
  if (release !== null) return release;
  throw new StoreError("unavailable", `Another server is running on ${path} (it holds ${path}.lock).`);
}
