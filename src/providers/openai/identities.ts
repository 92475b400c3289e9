// Finds the item that an event is about: by its id, then its call_id, and only then by its index. llama.cpp omits indexes, gateways give
// several items one index, and others give an item a new id in every event.
import type { JsonObject } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import type { RoundItem } from "./round-state.ts";

/** What an event says of its item; null for what it does not say. */
export interface ItemNames {
  readonly id: string | null;
  readonly callId: string | null;
  /** Its place in the output. */
  readonly index: number | null;
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
  return { id: readText(event.item_id), callId: readText(event.call_id), index: readIndex(event.output_index) };
}

/** The names in an event that has the item itself. */
export function namesOfItem(item: JsonObject, event: JsonObject): ItemNames {
  const { id, callId, index } = namesOfEvent(event);
  return { id: readText(item.id) ?? id, callId: readText(item.call_id) ?? callId, index };
}

/** An index of the output or of a content; null if there is none. */
export function readIndex(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** The items of one kind in a response. */
export class Identities<Item extends TrackedItem> {
  /** The newest item by id and by call_id: llama.cpp puts the call_id where the id of a call belongs. */
  readonly #byName = new Map<string, Item>();
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
    if (callId !== null) this.#byName.set(callId, item);
    if (id !== null) this.#byName.set(id, item);
    if (index !== null) this.#byIndex.set(index, item);
    this.#inOrder.push(item);
  }

  all(): readonly Item[] {
    return this.#inOrder;
  }

  /** The item that a delta continues. It may have ended only if the event names it. */
  ofPart(names: ItemNames): Item | undefined {
    const named = this.#get(names.id) ?? this.#get(names.callId);
    if (named !== undefined) return named;
    const placed = this.#at(names);
    return placed?.isEnded === false ? placed : undefined;
  }

  /** The item that is announced, if it has begun. */
  ofAnnounced(names: ItemNames): Item | undefined {
    const byId = this.#get(names.id);
    if (byId !== undefined && !differ(byId.names.callId, names.callId)) return byId;
    const byCallId = this.#get(names.callId);
    // Some servers number their calls anew: an ended call, or one at another index, is another call.
    if (byCallId?.isEnded === false && !differ(byCallId.names.index, names.index)) return byCallId;
    const placed = this.#at(names);
    const isNameless = placed?.names.id === null && placed.names.callId === null;
    return placed?.isEnded === false && !placed.isAnnounced && isNameless ? placed : undefined;
  }

  /** The item that has ended, if it has begun. `isSame` compares its content, where names do not tell. */
  ofEnded(names: ItemNames, isSame: (item: Item) => boolean): Item | undefined {
    const named = this.#named(names, isSame);
    if (named !== undefined) return named;
    const placed = this.#at(names);
    return placed !== undefined && this.#mayBe(placed, names) && isSame(placed) ? placed : undefined;
  }

  /** The item that the final response lists; as `ofEnded`, and in the order of their beginning. */
  ofListed(names: ItemNames, isSame: (item: Item) => boolean): Item | undefined {
    const found = this.ofEnded(names, isSame);
    if (found !== undefined && (!found.isListed || found === this.#get(names.id))) return found;
    while (this.#inOrder[this.#unlisted]?.isListed === true) this.#unlisted++;
    const next = this.#inOrder[this.#unlisted];
    return next !== undefined && this.#mayBe(next, names) && isSame(next) ? next : undefined;
  }

  #named(names: ItemNames, isSame: (item: Item) => boolean): Item | undefined {
    const byId = this.#get(names.id);
    if (byId !== undefined && !differ(byId.names.callId, names.callId)) return byId;
    const placed = names.index === null ? undefined : this.#byIndex.get(names.index);
    const byCallId = names.callId !== null && placed?.names.callId === names.callId ? placed : this.#get(names.callId);
    if (byCallId !== undefined && (!byCallId.isEnded || isSame(byCallId))) return byCallId;
    return byId?.isEnded === false ? byId : undefined;
  }

  /** The item at that index; without an index, the newest one that has not ended. */
  #at({ index }: ItemNames): Item | undefined {
    if (index !== null) return this.#byIndex.get(index);
    const newest = this.#inOrder.at(-1);
    return newest?.isEnded === false ? newest : undefined;
  }

  #mayBe(item: Item, names: ItemNames): boolean {
    return !differ(item.names.callId, names.callId);
  }

  #get(name: string | null): Item | undefined {
    return name === null ? undefined : this.#byName.get(name);
  }
}

/** Whether both are known and differ. */
function differ(one: string | number | null, other: string | number | null): boolean {
  return one !== null && other !== null && one !== other;
}
