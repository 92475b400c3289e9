// The settings of the next request, as far as the models support them.
import { Button, Textarea } from "@mantine/core";
import { SelectField, TextField } from "../../parts/fields.tsx";
import {
  type Chosen,
  describeBounds,
  EXAMPLE_TOOLS,
  isSupported,
  NUMBERS,
  type NumberName,
  outOfBounds,
  type Settings,
  toolChoices,
} from "./settings.ts";

/** The settings of one request, or of the same request to two models: each is sent what it supports. */
export function SettingsForm({
  settings,
  models,
  onChange,
}: {
  settings: Settings;
  models: readonly Chosen[];
  onChange: (change: Partial<Settings>) => void;
}) {
  /** A field of a setting: its name, and its value while a model supports it. */
  const field = <Name extends keyof Settings>(name: Name) => {
    const supporting = models.filter((model) => isSupported(name, model)).length;
    if (supporting === 0)
      return { label: name, value: "", disabled: true, description: "This model does not support it" };
    const description = supporting < models.length ? { description: "One of the models does not support it" } : {};
    return { label: name, value: settings[name], ...description };
  };
  const number = (name: NumberName) => (
    <TextField
      description={describeBounds(name)}
      {...field(name)}
      type="number"
      {...NUMBERS[name]}
      error={outOfBounds(name, settings[name])}
      onChange={(given) => onChange({ [name]: given })}
    />
  );
  const choice = (name: keyof Settings, values: readonly string[], meanings: Readonly<Record<string, string>> = {}) => (
    <SelectField
      {...field(name)}
      data={[
        { value: "", label: "not sent" },
        ...values.map((value) => ({
          value,
          label: meanings[value] === undefined ? value : `${value}: ${meanings[value]}`,
        })),
      ]}
      onChange={(given) => onChange({ [name]: given })}
    />
  );
  const text = (name: keyof Settings, rows: number, about?: string) => (
    <Textarea
      className="settings-wide"
      description={about}
      {...field(name)}
      rows={rows}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value })}
    />
  );
  return (
    <div className="settings">
      {text("instructions", 3)}
      {number("temperature")}
      {number("top_p")}
      {number("max_output_tokens")}
      {number("max_tool_calls")}
      {text("tools", 6, "JSON: a list of functions")}
      <div className="settings-wide">
        <Button size="xs" variant="default" onClick={() => onChange({ tools: EXAMPLE_TOOLS })}>
          Put in an example tool
        </Button>
      </div>
      {choice("tool_choice", toolChoices(models.length === 1 ? models[0] : undefined))}
      {choice("parallel_tool_calls", ["true", "false"])}
      {choice("svc:unanswered_calls", ["refuse", "drop"], {
        refuse: "a message is rejected while calls wait",
        drop: "it closes the calls",
      })}
      {text("text.format.schema", 4, "JSON Schema of the answer")}
      {choice("text.verbosity", ["low", "medium", "high"])}
      {choice("truncation", ["auto", "disabled"], {
        auto: "a long history loses its beginning",
        disabled: "it is an error",
      })}
      {number("presence_penalty")}
      {number("frequency_penalty")}
    </div>
  );
}
