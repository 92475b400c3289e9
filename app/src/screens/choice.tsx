import { SelectField } from "../parts/fields.tsx";

export interface ChoiceOption {
  readonly value: string;
  readonly label: string;
}

/** A filter of some values, of which "any" is none. */
export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string | undefined;
  options: readonly ChoiceOption[];
  onChange: (value: string | undefined) => void;
}) {
  return (
    <SelectField
      label={label}
      value={value ?? ""}
      data={[{ value: "", label: "any" }, ...withChosen(options, value)]}
      onChange={(chosen) => onChange(chosen === "" ? undefined : chosen)}
    />
  );
}

/** The choices with the chosen one, which may be of the past: a removed member, a model that is no longer served. */
function withChosen(options: readonly ChoiceOption[], chosen: string | undefined): readonly ChoiceOption[] {
  if (chosen === undefined || options.some(({ value }) => value === chosen)) return options;
  return [...options, { value: chosen, label: chosen }];
}
