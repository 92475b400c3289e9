/** A share of a limit, as a bar. */
export function Meter({ value, max, label }: { value: number; max: number; label: string }) {
  const share = max <= 0 ? 1 : Math.min(1, value / max);
  return (
    <meter
      className="meter"
      min={0}
      max={1}
      high={0.9}
      low={0.7}
      optimum={0}
      value={share}
      aria-label={`${label}: ${Math.round(share * 100)} %`}
    />
  );
}
