import { Text } from "@mantine/core";
import { TextField } from "../../parts/fields.tsx";

/** Fields for limits; an empty one is null. */
export function LimitFields<Name extends string>({
  names,
  empty,
  limits,
  onChange,
}: {
  readonly names: readonly (readonly [name: Name, label: string, min: number])[];
  /** What an empty field means. */
  readonly empty: string;
  readonly limits: Readonly<Partial<Record<Name, number | null>>>;
  readonly onChange: (changed: Readonly<Partial<Record<Name, number | null>>>) => void;
}) {
  const fields = names.map(([name, label, min]) => (
    <TextField
      key={name}
      label={label}
      type="number"
      min={min}
      value={limits[name]?.toString() ?? ""}
      onChange={(text) =>
        onChange({ [name]: text === "" ? null : Number(text) } as Partial<Record<Name, number | null>>)
      }
    />
  ));
  return (
    <>
      <Text size="sm" c="dimmed">
        An empty field: {empty}.
      </Text>
      <div className="columns">{fields}</div>
    </>
  );
}
