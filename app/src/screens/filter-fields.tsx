// Fields of a line of filters: one of some values, and one that is typed.
import { Choice, type ChoiceOption } from "./choice.tsx";
import type { FilterField } from "./filter-line.tsx";
import { TextFilter } from "./text-filter.tsx";

interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  /** Takes what is chosen; undefined: nothing. */
  readonly onChange: (value: string | undefined) => void;
}

/** One of some values; its chip says the label of what is chosen. */
export function choiceField({ options, ...field }: Field & { readonly options: readonly ChoiceOption[] }): FilterField {
  const { name, label, value, onChange } = field;
  return {
    name,
    label,
    text: options.find((option) => option.value === value)?.label ?? value,
    editor: <Choice label={label} value={value} options={options} onChange={onChange} />,
    clear: () => onChange(undefined),
  };
}

/** A text; `suggestions` are offered while it is typed. */
export function typedField({
  placeholder,
  suggestions = [],
  ...field
}: Field & { readonly placeholder: string; readonly suggestions?: readonly string[] }): FilterField {
  const { name, label, value, onChange } = field;
  return {
    name,
    label,
    text: value,
    editor: <TextFilter {...{ label, placeholder, value, suggestions, onChange }} />,
    clear: () => onChange(undefined),
  };
}
