import { Button } from "@mantine/core";

/** A button of a row of a table; `name` says what it does to which row. */
export function RowAction({ label, name, onClick }: { label: string; name: string; onClick: () => void }) {
  return (
    <Button size="xs" variant="default" aria-label={name} onClick={onClick}>
      {label}
    </Button>
  );
}
