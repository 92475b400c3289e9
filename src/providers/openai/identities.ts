// Finds the item that an event is about: by its id, then its call_id, and only then by its index. llama.cpp omits indexes, gateways give
// several items one index, others several items one id, or an item a new id in every event. Of items that share an id, the index tells.
import type { JsonObject } from "../../base/json.ts";
import { readIndex, readText } from "../wire/json-shape.ts";
import type { RoundItem } from "./round-state.ts";

/** What an event says of its item; null for what it does not say. */
export interface ItemNames {
  readonly id: string | null;
  readonly callId: string | null;
  /** Its place in the output. */
  readonly index: number | null;
  /** The tool of a call. */
  readonly tool: string | null;
}

/** An item as far as it has arrived. */
export interface TrackedItem {
  readonly names: ItemNames;
  /** Whether an event announced it; false if it began with a delta. */
  readonly isAnnounced: boolean;
  isEnded: boolean;
  /** Whether the final response lists it. */
  isListed: boolean;
  /** The item as the turn's next rounds send it back; null if they do not. */
  round: RoundItem | null;
}

/** A new item with these names. */
export function trackItem(names: ItemNames, isAnnounced: boolean): TrackedItem {
  return { names, isAnnounced, isEnded: false, isListed: false, round: null };
}

/** The names in an event about a part of an item. */
export function namesOfEvent(event: JsonObject): ItemNames {
  const [id, callId, index] = [readText(event.item_id), readText(event.call_id), readIndex(event.output_index)];
  return { id, callId, index, tool: null };
}

/** The names in an event that has the item itself. */
export function namesOfItem(item: JsonObject, event: JsonObject): ItemNames {
  const { id, callId, index } = namesOfEvent(event);
  return { id: readText(item.id) ?? id, callId: readText(item.call_id) ?? callId, index, tool: readText(item.name) };
}

/** The items of one kind in a response. */
export class Identities<Item extends TrackedItem> {
  /** The newest item by id and by call_id: llama.cpp puts the call_id where the id of a call belongs. */
  readonly #byName = new Map<string, Item>();
  /** Items that share such a name, by it and their index. */
  readonly #byPlace = new Map<string, Item>();
  readonly #byIndex = new Map<number, Item>();
  readonly #inOrder: Item[] = [];
  readonly #onBegin: (item: Item) => void;
  /** Those before it are listed in the final response. */
  #unlisted = 0;

  /** `onBegin` is called with each new item. */
  constructor(onBegin: (item: Item) => void) {
    this.#onBegin = onBegin;
  }

  add(item: Item): void {
    this.#onBegin(item);
    const { id, callId, index } = item.names;
    if (callId !== null) this.#addName(callId, item);
    if (id !== null) this.#addName(id, item);
    if (index !== null) this.#byIndex.set(index, item);
    this.#inOrder.push(item);
  }

  #addName(name: string, item: Item): void {
    const former = this.#byName.get(name);
    if (former !== undefined) for (const one of [former, item]) this.#byPlace.set(`${one.names.index} ${name}`, one);
    this.#byName.set(name, item);
  }

  all(): readonly Item[] {
    return this.#inOrder;
  }

  /** The item that a delta continues. It may have ended only if the event names it. */
  ofPart(names: ItemNames): Item | undefined {
    for (const name of [names.id, names.callId]) {
      const named = this.#get(name, names);
      // While it is open, some servers change its index.
      if (named !== undefined && !(named.isEnded && isElsewhere(named, names))) return named;
    }
    const placed = this.#at(names);
    return placed?.isEnded === false ? placed : undefined;
  }

  /** The item that is announced, if it has begun. After its end, or at another index, another one is announced. */
  ofAnnounced(names: ItemNames): Item | undefined {
    for (const name of [names.id, names.callId]) {
      const named = this.#get(name, names);
      if (named?.isEnded === false && !isElsewhere(named, names) && mayBe(named, names)) return named;
    }
    const placed = this.#at(names);
    const isNameless = placed?.names.id === null && placed.names.callId === null;
    return placed?.isEnded === false && !placed.isAnnounced && isNameless ? placed : undefined;
  }

  /** The item that has ended, if it has begun. `isSame` compares its content, where names do not tell. */
  ofEnded(names: ItemNames, isSame: (item: Item) => boolean): Item | undefined {
    const [byId, byCallId, placed] = [this.#get(names.id, names), this.#get(names.callId, names), this.#at(names)];
    if (byId !== undefined && isNamed(byId, names)) return byId;
    if (byCallId !== undefined && isNamed(byCallId, names)) {
      const isOpenHere = !byCallId.isEnded && !isElsewhere(byCallId, names);
      if (isOpenHere || isSame(byCallId)) return byCallId;
    }
    // Some servers give a call another call_id or name at its end.
    if (byId?.isEnded === false && !isElsewhere(byId, names)) return byId;
    return placed !== undefined && mayBe(placed, names) && isSame(placed) ? placed : undefined;
  }

  /** The item that the final response lists. `isSame` compares its content, where names do not tell. */
  ofListed(names: ItemNames, isSame: (item: Item) => boolean): Item | undefined {
    while (this.#inOrder[this.#unlisted]?.isListed === true) this.#unlisted++;
    const next = this.#inOrder[this.#unlisted];
    const [byId, byCallId] = [this.#get(names.id, names), this.#get(names.callId, names)];
    // Lists are in the order of their beginning: of those that share a name, the next one is meant.
    if (next !== undefined && isEqual(next.names.id, names.id) && mayBe(next, names)) return next;
    if (byId !== undefined && !differ(byId.names.callId, names.callId) && (!byId.isListed || isSame(byId))) return byId;
    if (next !== undefined && isEqual(next.names.callId, names.callId) && mayBe(next, names)) return next;
    const unlisted = [byCallId, byId, this.#at(names), next].flatMap((one) => (one?.isListed === false ? [one] : []));
    return (
      unlisted.find((one) => !one.isEnded && (one === byCallId || one === byId)) ??
      unlisted.find((one) => mayBe(one, names) && isSame(one))
    );
  }

  /** The item that the final response lists under names that no event had, as vLLM does: the next one that has equal content. */
  ofRenamed(names: ItemNames, hasEqual: (item: Item) => boolean): Item | undefined {
    if (this.#get(names.id, names) !== undefined || this.#get(names.callId, names) !== undefined) return undefined;
    return [this.#inOrder[this.#unlisted], this.#at(names)].find((one) => one?.isListed === false && hasEqual(one));
  }

  /** The item at that index; without an index, the newest one that has not ended. */
  #at({ index }: ItemNames): Item | undefined {
    if (index !== null) return this.#byIndex.get(index);
    const newest = this.#inOrder.at(-1);
    return newest?.isEnded === false ? newest : undefined;
  }

  /** The newest item of that id or call_id; of several, the one at the index of the event. */
  #get(name: string | null, names: ItemNames): Item | undefined {
    const newest = name === null ? undefined : this.#byName.get(name);
    if (newest === undefined || !isElsewhere(newest, names)) return newest;
    return this.#byPlace.get(`${names.index} ${name}`) ?? newest;
  }
}

/** Whether an item may have these names: neither another call_id nor another tool. */
function mayBe(item: TrackedItem, names: ItemNames): boolean {
  return !differ(item.names.callId, names.callId) && !differ(item.names.tool, names.tool);
}

/** Whether an item of that id or call_id is the one of these names. One that ended at another index is not. */
function isNamed(item: TrackedItem, names: ItemNames): boolean {
  return mayBe(item, names) && !(item.isEnded && isElsewhere(item, names));
}

function isElsewhere(item: TrackedItem, names: ItemNames): boolean {
  return differ(item.names.index, names.index);
}

/** Whether both are known and equal. */
function isEqual(one: string | null, other: string | null): boolean {
  return one !== null && one === other;
}

/** Whether both are known and differ. */
function differ(one: string | number | null, other: string | number | null): boolean {
  return one !== null && other !== null && one !== other;
}
