// Builds the values of the selected parts of a JSON body while the scanner passes over its bytes.
import { JSON_DEPTH_MAX } from "../../../contract/limits.ts";
import type { Selection } from "./selection.ts";

/** An open object or array of which something is selected. */
interface Frame {
  readonly selection: Selection;
  readonly holder: unknown[] | Record<string, unknown>;
  /** In an object: the key of the next value; undefined when that value is not selected. */
  key: string | undefined;
}

export class ValueBuilder {
  readonly #root: Selection;
  readonly #frames: Frame[] = [];
  #value: unknown = undefined;

  constructor(root: Selection) {
    this.#root = root;
  }

  /** The value of the whole body. */
  get value(): unknown {
    return this.#value;
  }

  /** Whether every member of the innermost object is selected. */
  get takesAllKeys(): boolean {
    return this.#frames.at(-1)?.selection.isWhole === true;
  }

  /** The selected parts of the next value; undefined: none. */
  next(): Selection | undefined {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#root;
    const { selection, holder, key } = frame;
    if (Array.isArray(holder)) return selection.isWhole === true ? selection : selection.elements;
    if (key === undefined) return undefined;
    return selection.isWhole === true ? selection : selection.members?.[key];
  }

  /** Notes the key of the next value; undefined: a key that is not kept. */
  key(key: string | undefined): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    const { isWhole, members } = frame.selection;
    const isSelected =
      key !== undefined && (isWhole === true || (members !== undefined && Object.hasOwn(members, key)));
    frame.key = isSelected ? key : undefined;
  }

  /** Puts a value into the innermost object or array. */
  attach(value: unknown): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.#value = value;
    else if (Array.isArray(frame.holder)) frame.holder.push(value);
    else if (frame.key === "__proto__") {
      // Plain assignment would set the object's prototype.
      Object.defineProperty(frame.holder, frame.key, { value, enumerable: true, configurable: true, writable: true });
    } else if (frame.key !== undefined) frame.holder[frame.key] = value;
  }

  /**
   * Opens an object or array that is attached already. False when nothing inside is selected: the scanner then passes
   * over it.
   */
  open(selection: Selection, holder: Frame["holder"], depth: number): boolean {
    const inner = Array.isArray(holder) ? selection.elements : selection.members;
    if (depth > JSON_DEPTH_MAX || (selection.isWhole !== true && inner === undefined)) return false;
    this.#frames.push({ selection, holder, key: undefined });
    return true;
  }

  /** Closes the innermost object or array. */
  close(): void {
    this.#frames.pop();
  }
}
