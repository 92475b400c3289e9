// Who is under way, by key: what comes and goes with every request. docs/decisions/young-objects.md

/** The place of a value, empty when it has gone. */
interface Place<Value> {
  value: Value | undefined;
}

/**
 * A map whose places are emptied. A Map that has as much taken from it as comes in moves to a new table time and again; the old
 * one still refers to all that stood in it, and once it is old enough keeps that alive until the next collection of the whole heap.
 */
export class LiveMap<Key, Value extends object> {
  readonly #places = new Map<Key, Place<Value>>();

  get size(): number {
    return this.#places.size;
  }

  get(key: Key): Value | undefined {
    return this.#places.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    this.#places.set(key, { value });
  }

  /** Removes what stands there and answers it; undefined when nothing does. */
  take(key: Key): Value | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#places.delete(key);
    const { value } = place;
    place.value = undefined;
    return value;
  }

  /** Removes what came first and answers it; undefined when nothing is left. */
  takeFirst(): Value | undefined {
    const { value: key, done } = this.#places.keys().next();
    return done === true ? undefined : this.take(key);
  }

  /** Removes and answers all that is under way. */
  takeAll(): readonly Value[] {
    return Array.from(this.#places.keys()).flatMap((key) => this.take(key) ?? []);
  }

  /** All that is under way, in the order in which it came. */
  values(): readonly Value[] {
    return Array.from(this.#places.values()).flatMap(({ value }) => value ?? []);
  }
}
