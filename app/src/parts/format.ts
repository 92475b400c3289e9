// Formats numbers, credits and times for display.

const DECIMALS_MIN = 2;
const DECIMALS_MAX = 6;
const credits = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: DECIMALS_MIN,
  maximumFractionDigits: DECIMALS_MAX,
});
const whole = new Intl.NumberFormat();
const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const localMinutes = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const formatCredits = (amount: number): string => credits.format(amount);
/** Formats the amounts of a column with the same number of decimals, so that they align. */
export function creditsFormat(amounts: readonly number[]): (amount: number) => string {
  const decimals = amounts.reduce((most, amount) => Math.max(most, decimalsOf(amount)), DECIMALS_MIN);
  return new Intl.NumberFormat(undefined, { minimumFractionDigits: decimals, maximumFractionDigits: DECIMALS_MAX })
    .format;
}

const decimalsOf = (amount: number): number =>
  credits.formatToParts(amount).find(({ type }) => type === "fraction")?.value.length ?? 0;

export const formatCount = (count: number): string => whole.format(count);

/** A duration; nothing for one that is not known. */
export const formatMs = (milliseconds: number | null): string =>
  milliseconds === null ? "" : `${whole.format(milliseconds)} ms`;

/** A time in the zone of the person, `short` without its seconds; `utc` is for a tooltip. */
export function formatTime(unixSeconds: number): { local: string; short: string; utc: string; iso: string } {
  const date = new Date(unixSeconds * 1000);
  const iso = date.toISOString();
  return {
    local: local.format(date),
    short: localMinutes.format(date),
    utc: `${iso.slice(0, 19).replace("T", " ")} UTC`,
    iso,
  };
}

const REST_UNITS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** The time left, in the two largest units that it has. */
export function describeRest(milliseconds: number): string {
  let rest = Math.max(0, Math.ceil(milliseconds / 1000));
  const parts = REST_UNITS.map(([seconds, unit]) => {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    return { count, text: `${count} ${unit}` };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first < 0) return "0 s";
  return parts
    .slice(first, first + 2)
    .map(({ text }) => text)
    .join(" ");
}
