import { Button } from "@mantine/core";
import type { ReactNode } from "react";

/** The filters above a log, and a button that lifts them all. */
export function FilterBar<Search extends object>({
  search,
  onChange,
  children,
}: {
  search: Search;
  onChange: (change: { [Name in keyof Search]?: undefined }) => void;
  children: ReactNode;
}) {
  const chosen = Object.keys(search);
  const clear = () =>
    onChange(Object.fromEntries(chosen.map((name) => [name, undefined])) as { [Name in keyof Search]?: undefined });
  return (
    <div className="screen-actions" role="group" aria-label="Filters">
      {children}
      {chosen.length > 0 && (
        <Button variant="default" onClick={clear}>
          Clear the filters
        </Button>
      )}
    </div>
  );
}
