// A figure beside the same one of the day before.

/** Whether it went up or down, in words; null: there is nothing to compare. */
export function describeTrend(
  now: number | null,
  before: number | null,
  format: (figure: number) => string,
): string | null {
  if (now === null || before === null) return null;
  if (format(now) === format(before)) return "as the day before";
  return `${now > before ? "up" : "down"} from ${format(before)} the day before`;
}
