// A map of short-lived entries, such as running turns. docs/decisions/performance.md

/** Holds a value; emptied when the entry is removed. */
interface Place<Value> {
  value: Value | undefined;
}

/**
 * A Map with constant turnover reallocates its table again and again. An old table still refers to its entries, and
 * once promoted to the old generation it keeps them alive until the next full collection. Here a removed entry releases
 * its value at once.
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

  /** Removes and returns a value; undefined when there is none. */
  take(key: Key): Value | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#places.delete(key);
    const { value } = place;
    place.value = undefined;
    return value;
  }

  /** The oldest value; undefined when the map is empty. */
  first(): Value | undefined {
    return this.#places.values().next().value?.value;
  }

  /** Removes and returns the oldest value; undefined when the map is empty. */
  takeFirst(): Value | undefined {
    const { value: key, done } = this.#places.keys().next();
    return done === true ? undefined : this.take(key);
  }

  /** Removes and returns all values. */
  takeAll(): readonly Value[] {
    return Array.from(this.#places.keys()).flatMap((key) => this.take(key) ?? []);
  }

  /** All values, oldest first. */
  values(): readonly Value[] {
    return Array.from(this.#places.values()).flatMap(({ value }) => value ?? []);
  }
}
