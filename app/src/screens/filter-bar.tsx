import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { FilterSheet, useIsPhone } from "./filter-sheet.tsx";

/** The filters above a log, and a button that lifts them all; on a phone in a sheet. */
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
  const all = (
    <>
      {children}
      {chosen.length > 0 && (
        <Button variant="default" onClick={clear}>
          Clear the filters
        </Button>
      )}
    </>
  );
  if (useIsPhone()) return <FilterSheet count={chosen.length}>{all}</FilterSheet>;
  return (
    <div className="screen-actions" role="group" aria-label="Filters">
      {all}
    </div>
  );
}
