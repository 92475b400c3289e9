// What has just been done, in one line over whatever screen is shown.
import { useSyncExternalStore } from "react";

const SHOWN_MS = 6000;

let said = "";
let timer: ReturnType<typeof setTimeout> | undefined;
const watchers = new Set<() => void>();

function change(text: string): void {
  said = text;
  for (const watch of watchers) watch();
}

/** Says that an action has happened, as a sentence. */
export function say(text: string): void {
  clearTimeout(timer);
  change(text);
  timer = setTimeout(() => change(""), SHOWN_MS);
}

/** The place of that sentence, which is there from the start: a screen reader announces what changes in it. */
export function Said() {
  const text = useSyncExternalStore(subscribe, () => said);
  return (
    <p role="status" aria-label="Done" className={text === "" ? "for-readers" : "said"}>
      {text}
    </p>
  );
}

function subscribe(watch: () => void): () => void {
  watchers.add(watch);
  return () => watchers.delete(watch);
}
