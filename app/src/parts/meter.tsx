/** The used share of a limit as a bar, which is full from 1 on. */
export function Meter({ share, label }: { share: number; label: string }) {
  return (
    <meter
      className="meter"
      min={0}
      max={1}
      high={0.9}
      low={0.7}
      optimum={0}
      value={Math.min(1, share)}
      aria-label={`${label}: ${Math.round(share * 100)} %`}
    />
  );
}
