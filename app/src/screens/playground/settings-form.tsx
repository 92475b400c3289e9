// The settings of the next request, as far as the model supports them.
import { Button, NativeSelect, Stack, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { take } from "../../api/client.ts";
import { modelsQuery, WITH_KEY } from "../../api/queries.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { EXAMPLE_TOOLS, type Settings } from "./settings.ts";
import { v1 } from "./v1.ts";

interface FormProps {
  readonly settings: Settings;
  readonly onChange: (change: Partial<Settings>) => void;
}

export function SettingsForm({ settings, onChange }: FormProps) {
  // The models that the key may use, which can be fewer than the catalog's.
  const models = useQuery({
    queryKey: [WITH_KEY, "models"],
    queryFn: async () => (await take(v1.GET("/models"))).data,
  });
  return (
    <Loaded query={models}>
      {(data) => (
        <Stack gap="sm">
          <NativeSelect
            label="Model"
            value={settings.model}
            data={[{ value: "", label: "Choose a model" }, ...data.map(({ id }) => ({ value: id, label: id }))]}
            onChange={({ currentTarget }) => onChange({ model: currentTarget.value })}
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

function MoreSettings({ settings, onChange }: FormProps) {
  const { data: catalog = [] } = useQuery(modelsQuery);
  const group = catalog.find(({ id }) => id === settings.model)?.group ?? [];
  const number = (
    name: "temperature" | "topP" | "maxOutputTokens" | "presencePenalty" | "frequencyPenalty",
    label: string,
    setting: string | null,
  ) => {
    const isSupported = setting === null || group.includes(setting);
    return (
      <TextInput
        label={label}
        type="number"
        step="any"
        disabled={!isSupported}
        {...(isSupported ? {} : { description: "This model does not support it" })}
        value={isSupported ? settings[name] : ""}
        onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
      />
    );
  };
  return (
    <Stack gap="sm" mt="sm">
      {number("temperature", "Temperature", "temperature")}
      {number("topP", "Top p", "top_p")}
      {number("maxOutputTokens", "Output tokens, at most", null)}
      {number("presencePenalty", "Presence penalty", "presence_penalty")}
      {number("frequencyPenalty", "Frequency penalty", "frequency_penalty")}
      <NativeSelect
        label="Verbosity"
        disabled={!group.includes("text.verbosity")}
        value={group.includes("text.verbosity") ? settings.verbosity : ""}
        data={["", "low", "medium", "high"].map((value) => ({ value, label: value || "not sent" }))}
        onChange={({ currentTarget }) => onChange({ verbosity: currentTarget.value })}
      />
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
      <NativeSelect
        label="Tool choice"
        value={settings.toolChoice}
        data={["", "auto", "none", "required"].map((value) => ({ value, label: value || "not sent" }))}
        onChange={({ currentTarget }) => onChange({ toolChoice: currentTarget.value })}
      />
      <Textarea
        label="Schema of the answer, as JSON"
        rows={4}
        disabled={!group.includes("text.format")}
        value={group.includes("text.format") ? settings.schema : ""}
        onChange={({ currentTarget }) => onChange({ schema: currentTarget.value })}
      />
    </Stack>
  );
}
