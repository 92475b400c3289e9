// A script whose acts arrive one by one, as from a network: a turn of the event loop after each.
import type { Act, Script } from "./scripted-provider.ts";

export function paced(acts: readonly Act[]): Script {
  return () => {
    const turns = acts.map(() => Promise.withResolvers<void>());
    const take = (place: number): void => {
      turns[place]?.resolve();
      if (place + 1 < turns.length) setImmediate(take, place + 1);
    };
    setImmediate(take, 0);
    return acts.flatMap((act, place): Act[] => [act, turns[place]?.promise ?? Promise.resolve()]);
  };
}
