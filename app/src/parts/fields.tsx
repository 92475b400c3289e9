// Fields of forms whose change is their value.
import { NativeSelect, type NativeSelectProps, TextInput, type TextInputProps } from "@mantine/core";

/** A field for a line of text. */
export function TextField({
  onChange,
  ...props
}: Omit<TextInputProps, "onChange"> & { readonly onChange: (text: string) => void }) {
  return <TextInput {...props} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
}

/** A field for one of some values. */
export function SelectField<Value extends string>({
  data,
  onChange,
  ...props
}: Omit<NativeSelectProps, "data" | "onChange" | "value"> & {
  readonly value?: Value;
  readonly data: readonly (Value | { readonly value: Value; readonly label: string })[];
  readonly onChange: (value: Value) => void;
}) {
  return (
    <NativeSelect
      {...props}
      data={[...data]}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
    />
  );
}
