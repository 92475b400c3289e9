// Who waits for a capacity: organizations take turns, the keys of an organization take turns, and what one key waits for
// is served in its order of arrival. docs/decisions/shares.md
import type { Owner } from "./fair-capacity.ts";
import { LiveMap } from "./live-map.ts";

/** The waiting entries of one key, oldest first. */
type KeyQueue<Entry extends object> = LiveMap<number, Entry>;
/** The keys of one organization; the one that was served last is the last. */
type OrganizationQueue<Entry extends object> = Map<string, KeyQueue<Entry>>;

/** A queue of entries, each with an owner. */
export class FairQueue<Entry extends object> {
  /** The organization that was served last is the last. */
  readonly #organizations = new Map<string, OrganizationQueue<Entry>>();
  #arrived = 0;
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds an entry behind those of its key. The result takes it out again; false when it is no longer in the queue. */
  add({ organizationId, keyId }: Owner, entry: Entry): () => boolean {
    const keys: OrganizationQueue<Entry> = this.#organizations.get(organizationId) ?? new Map();
    const entries: KeyQueue<Entry> = keys.get(keyId) ?? new LiveMap();
    const place = this.#arrived++;
    entries.set(place, entry);
    keys.set(keyId, entries);
    this.#organizations.set(organizationId, keys);
    this.#size++;
    return () => {
      if (entries.take(place) === undefined) return false;
      this.#size--;
      if (entries.size === 0) keys.delete(keyId);
      if (keys.size === 0) this.#organizations.delete(organizationId);
      return true;
    };
  }

  /**
   * Takes the entry whose turn it is. Where the oldest entry of a key may not pass, the next key follows. Undefined when
   * none may pass; nothing changes then.
   */
  takeNext(mayPass: (entry: Entry) => boolean = () => true): Entry | undefined {
    for (const [organizationId, keys] of this.#organizations) {
      for (const [keyId, entries] of keys) {
        const entry = entries.first();
        if (entry === undefined || !mayPass(entry)) continue;
        entries.takeFirst();
        this.#size--;
        // Behind the others: it is their turn now.
        keys.delete(keyId);
        if (entries.size > 0) keys.set(keyId, entries);
        this.#organizations.delete(organizationId);
        if (keys.size > 0) this.#organizations.set(organizationId, keys);
        return entry;
      }
    }
    return undefined;
  }
}
