// The models that a mistyped name may mean.
import type { CatalogModel } from "./catalog.ts";

/** How many an error message names. */
const NAMED_MAX = 3;
/** A name that differs in more characters means something else. */
const EDITS_MAX = 2;
/** Shorter names are the beginning of too many. */
const PREFIX_CHARACTERS_MIN = 4;

/**
 * Up to three ids of models that a name may mean, the nearest first: the same letters and digits (`Claude-Opus-5.5`), the
 * same bare form under another provider, one that begins with the other, or a name with up to two edits. It takes
 * time in proportion to the number of models.
 */
export function nearModels(name: string, models: readonly Pick<CatalogModel, "id">[]): readonly string[] {
  const wanted = plain(name);
  const wantedBare = bareForm(wanted);
  const found = models.flatMap(({ id }) => {
    const known = plain(id);
    const distance = distanceOf(wanted, wantedBare, known);
    return distance === null ? [] : [{ id, distance }];
  });
  return found
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, NAMED_MAX)
    .map(({ id }) => id);
}

function distanceOf(wanted: string, wantedBare: string, known: string): number | null {
  const knownBare = bareForm(known);
  if (wanted === known || wantedBare === knownBare) return 0;
  const edits = Math.min(editsBetween(wanted, known), editsBetween(wantedBare, knownBare));
  if (edits <= EDITS_MAX) return edits;
  const isLongEnough = Math.min(wantedBare.length, knownBare.length) >= PREFIX_CHARACTERS_MIN;
  return isLongEnough && (wantedBare.startsWith(knownBare) || knownBare.startsWith(wantedBare)) ? EDITS_MAX + 1 : null;
}

/** Lower case, without what people write in different ways: dots, hyphens, underscores. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]+/g, "");
}

function bareForm(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

/** The Levenshtein distance of two texts, or a number above EDITS_MAX. Only the diagonals that matter are filled. */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > EDITS_MAX) return EDITS_MAX + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = row.map(() => EDITS_MAX + 1);
    next[0] = at;
    const last = Math.min(other.length, at + EDITS_MAX);
    for (let to = Math.max(1, at - EDITS_MAX); to <= last; to += 1) {
      const same = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next[to] = Math.min(same, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
