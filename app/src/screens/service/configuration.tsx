// The configuration in force, without its secrets.
import { Code } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { configurationQuery } from "../../api/queries.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";

export function ConfigurationShown() {
  const configuration = useQuery(configurationQuery);
  return (
    <Section title="Configuration">
      <Loaded query={configuration}>
        {(data) => (
          <ListTable
            caption="Configuration"
            find="Find a setting"
            rows={flatten(data)}
            rowKey={({ name }) => name}
            columns={[
              { title: "Setting", isWide: true, value: ({ name }) => name, cell: ({ name }) => <Code>{name}</Code> },
              { title: "Value", isSentence: true, value: ({ value }) => value, cell: ({ value }) => value },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

interface Setting {
  readonly name: string;
  readonly value: string;
}

/** Each value with its path. A null is shown as "not set", an empty list or object as "none". */
function flatten(value: unknown, name = ""): Setting[] {
  const children = typeof value === "object" && value !== null ? Object.entries(value) : null;
  if (value === null) return [{ name, value: "not set" }];
  if (children === null) return [{ name, value: typeof value === "string" ? value : JSON.stringify(value) }];
  if (children.length === 0) return [{ name, value: "none" }];
  return children.flatMap(([part, child]) => flatten(child, name === "" ? part : `${name}.${part}`));
}
