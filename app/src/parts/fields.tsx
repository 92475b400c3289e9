// Fields of forms whose change is their value.
import { NativeSelect, type NativeSelectProps, TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useState } from "react";

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

/** A field for a day or a time that is a choice of the URL. It counts when it is whole and in range, or empty. */
export function TimeField({
  value,
  onChange,
  ...props
}: Omit<TextInputProps, "onChange" | "value"> & {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  // The field keeps what is typed: the URL changes later, and a value from it would discard the digits so far.
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      {...props}
      value={text}
      onChange={({ currentTarget: { value: typed, validity } }) => {
        setText(typed);
        // A year begins with 0 until its last digit is typed.
        if (validity.valid && !typed.startsWith("0")) onChange(typed);
      }}
      onBlur={() => setText(value)}
    />
  );
}
