/** Quantiles and medians. */

/** The quantile `q` (0 to 1); NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  const index = Math.min(sorted.length - 1, Math.floor(q * sorted.length));
  return sorted[index] ?? Number.NaN;
}

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length / 2)];
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  return high === undefined || low === undefined ? Number.NaN : (low + high) / 2;
}
