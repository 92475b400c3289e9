import { type ComponentProps, useContext } from "react";
import { TextField } from "./fields.tsx";
import { formatDollars } from "./format.ts";
import { UsdPerCredit } from "./money.tsx";

/** A field for an amount of credits, with its dollars below. */
export function CreditsField({
  value,
  description,
  ...props
}: Omit<ComponentProps<typeof TextField>, "type" | "step" | "description"> & {
  readonly value: string;
  readonly description?: string;
}) {
  const rate = useContext(UsdPerCredit);
  const dollars = rate === null || value === "" ? null : formatDollars(Number(value) * rate);
  const about = [description, dollars].filter((text) => text !== undefined && text !== null);
  return (
    <TextField
      min={0}
      {...props}
      type="number"
      step="any"
      value={value}
      description={about.length === 0 ? undefined : about.join(" · ")}
    />
  );
}
