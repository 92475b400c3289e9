// Lists of models in rules.
import { Checkbox, Fieldset, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import type { Model } from "../../api/client.ts";

/** The only models that may be used; null: all. The list stays while it is switched off. */
export function AllowedModels({
  catalog,
  allowed,
  onChange,
}: {
  catalog: readonly Model[];
  allowed: readonly string[] | null;
  onChange: (allowed: readonly string[] | null) => void;
}) {
  const [last, setLast] = useState(allowed ?? []);
  const change = (models: readonly string[]) => {
    setLast(models);
    onChange(models);
  };
  return (
    <>
      <Checkbox
        label="Only the models on a list may be used"
        checked={allowed !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? last : null)}
      />
      {allowed !== null && <ModelList legend="Allowed models" catalog={catalog} chosen={allowed} onChange={change} />}
    </>
  );
}

/** Models of the catalog to tick, and others by their ids: a rule may come before its model. */
export function ModelList({
  legend,
  catalog,
  chosen,
  onChange,
}: {
  legend: string;
  catalog: readonly Model[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const ids = catalog.map((model) => model.id);
  const [others, setOthers] = useState(chosen.filter((id) => !ids.includes(id)).join("\n"));
  const ticked = chosen.filter((id) => ids.includes(id));
  const readLines = (text: string) => text.split(/\s+/).filter((line) => line !== "" && !ids.includes(line));
  return (
    <Fieldset legend={legend}>
      <Stack gap="xs">
        {ids.map((id) => (
          <Checkbox
            key={id}
            label={id}
            checked={ticked.includes(id)}
            onChange={({ currentTarget }) => {
              const rest = ticked.filter((other) => other !== id);
              onChange([...(currentTarget.checked ? [...rest, id] : rest), ...readLines(others)]);
            }}
          />
        ))}
        <Textarea
          label="Others, by id, one a line"
          autosize={false}
          value={others}
          onChange={({ currentTarget }) => {
            setOthers(currentTarget.value);
            onChange([...ticked, ...readLines(currentTarget.value)]);
          }}
        />
      </Stack>
    </Fieldset>
  );
}
