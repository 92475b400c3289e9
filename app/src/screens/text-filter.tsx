// A filter that is typed, with names to choose from where there are some.
import { useEffect, useId, useState } from "react";
import { TextField } from "../parts/fields.tsx";

/** A filter that is typed; it counts from Enter on, or when the field is left. */
export function TextFilter({
  label,
  placeholder,
  value = "",
  suggestions = [],
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string | undefined;
  suggestions?: readonly string[];
  onChange: (text: string | undefined) => void;
}) {
  const list = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = () => {
    const wanted = text.trim();
    if (wanted !== value) onChange(wanted === "" ? undefined : wanted);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <TextField
        label={label}
        placeholder={placeholder}
        value={text}
        onChange={setText}
        onBlur={apply}
        {...(suggestions.length === 0 ? {} : { list })}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </form>
  );
}
