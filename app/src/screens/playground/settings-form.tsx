// The settings of the next request, as far as the model supports them.
import { Button, Stack, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { modelsQuery } from "../../api/queries.ts";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { EXAMPLE_TOOLS, type FieldOfSome, isSupported, type Settings, toolChoices } from "./settings.ts";
import { keyModelsQuery } from "./v1.ts";

interface FormProps {
  readonly settings: Settings;
  readonly onChange: (change: Partial<Settings>) => void;
}

export function SettingsForm({ settings, onChange }: FormProps) {
  const models = useQuery(keyModelsQuery);
  return (
    <Loaded query={models}>
      {(data) => (
        <Stack gap="sm">
          <SelectField
            label="Model"
            value={settings.model}
            data={data.map(({ id }) => id)}
            onChange={(value) => onChange({ model: value })}
          />
          <Textarea
            label="Instructions"
            value={settings.instructions}
            onChange={({ currentTarget }) => onChange({ instructions: currentTarget.value })}
          />
          <details>
            <summary>More settings</summary>
            <MoreSettings settings={settings} onChange={onChange} />
          </details>
        </Stack>
      )}
    </Loaded>
  );
}

/** Of a field that the chosen model does not support. */
const UNSUPPORTED = { disabled: true, description: "This model does not support it" };

function MoreSettings({ settings, onChange }: FormProps) {
  const { data: catalog = [] } = useQuery(modelsQuery);
  const model = catalog.find(({ id }) => id === settings.model);
  /** The value of a field that only some models support. */
  const ofSome = (name: FieldOfSome) =>
    isSupported(name, model) ? { value: settings[name] } : { ...UNSUPPORTED, value: "" };
  const number = (name: keyof Settings, label: string, value: object) => (
    <TextField label={label} type="number" step="any" {...value} onChange={(given) => onChange({ [name]: given })} />
  );
  const choice = (name: keyof Settings, label: string, choices: Readonly<Record<string, string>>, value: object) => (
    <SelectField
      label={label}
      data={Object.entries({ "": "not sent", ...choices }).map(([of, word]) => ({ value: of, label: word }))}
      {...value}
      onChange={(given) => onChange({ [name]: given })}
    />
  );
  return (
    <Stack gap="sm" mt="sm">
      {number("temperature", "Temperature", ofSome("temperature"))}
      {number("topP", "Top p", ofSome("topP"))}
      {number("maxOutputTokens", "Output tokens, at most", { value: settings.maxOutputTokens })}
      {number("presencePenalty", "Presence penalty", ofSome("presencePenalty"))}
      {number("frequencyPenalty", "Frequency penalty", ofSome("frequencyPenalty"))}
      {choice("verbosity", "Verbosity", named(["low", "medium", "high"]), ofSome("verbosity"))}
      <Textarea
        label="Tools, as JSON"
        rows={6}
        value={settings.tools}
        onChange={({ currentTarget }) => onChange({ tools: currentTarget.value })}
      />
      <div>
        <Button size="xs" variant="default" onClick={() => onChange({ tools: EXAMPLE_TOOLS })}>
          Put in an example tool
        </Button>
      </div>
      {choice("toolChoice", "Tool choice", named(toolChoices(model).slice(1)), { value: settings.toolChoice })}
      {choice("parallelToolCalls", "Several calls at once", { true: "yes", false: "no" }, ofSome("parallelToolCalls"))}
      {choice(
        "unansweredCalls",
        "Input while calls wait for their outputs",
        { refuse: "is rejected", drop: "drops the calls and continues" },
        { value: settings.unansweredCalls },
      )}
      <Textarea
        label="Schema of the answer, as JSON"
        rows={4}
        {...ofSome("schema")}
        onChange={({ currentTarget }) => onChange({ schema: currentTarget.value })}
      />
      {choice(
        "truncation",
        "A history that is too long",
        { auto: "loses its oldest turns", disabled: "is an error" },
        { value: settings.truncation },
      )}
    </Stack>
  );
}

/** Choices that are called what they are. */
function named(values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map((value) => [value, value]));
}
