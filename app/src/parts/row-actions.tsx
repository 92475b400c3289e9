import { Button } from "@mantine/core";
import type { ReactNode } from "react";

/** The buttons of a row of a table, each by its label. */
export function RowActions({
  actions,
  nameOf,
  children,
}: {
  actions: Readonly<Record<string, () => void>>;
  /** The full name of a button, which says what it does to which row. */
  nameOf: (label: string) => string;
  /** Buttons before them. */
  children?: ReactNode;
}) {
  return (
    <div className="row-actions">
      {children}
      {Object.entries(actions).map(([label, act], index) => (
        // By its place: a button that says something else after a press keeps the focus.
        <Button key={index} size="xs" variant="default" aria-label={nameOf(label)} onClick={act}>
          {label}
        </Button>
      ))}
    </div>
  );
}
