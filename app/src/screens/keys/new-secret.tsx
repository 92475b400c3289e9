// A key's secret, shown once, with requests to paste.
import { Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keepKey } from "../../api/credentials.ts";
import { namedModelsQuery } from "../../api/queries.ts";
import { Copy } from "../../parts/copy.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { ButtonLink } from "../../parts/link.tsx";
import { Run } from "../../parts/run.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { Time } from "../../parts/time.tsx";
import { useSession } from "../../session/session.ts";
import { askOnce } from "./ask-once.ts";
import { snippetsOf } from "./snippets.ts";

export interface CreatedSecret {
  readonly name: string;
  readonly secret: string;
  /** After a rotation: when the old secret stops working, Unix seconds. */
  readonly oldValidUntil?: number;
  /** Why the budget of a new key was not set. */
  readonly budgetError?: unknown;
}

export function NewSecret({ created }: { created: CreatedSecret }) {
  const { name, secret, oldValidUntil, budgetError } = created;
  const { base_url: baseUrl } = useSession();
  const { data: models = [] } = useQuery(namedModelsQuery);
  const [language, setLanguage] = useState("curl");
  const model = models[0]?.id ?? "simulated/echo";
  const snippets = snippetsOf(baseUrl, secret, model);
  const snippet = snippets.find((one) => one.name === language) ?? snippets[0];
  return (
    <SecretOnce
      title={`The secret of ${name}`}
      secret={secret}
      noun="the key"
      actions={
        <ButtonLink variant="default" to="/playground" onClick={() => keepKey(secret)}>
          Try it in the playground
        </ButtonLink>
      }
    >
      <Stack gap="sm">
        {budgetError !== undefined && (
          <>
            <Text size="sm">The key is made, and its budget is not set:</Text>
            <ErrorNotice error={budgetError} />
          </>
        )}
        {oldValidUntil !== undefined && (
          <Text size="sm">
            The old secret works until <Time at={oldValidUntil} />.
          </Text>
        )}
        <SelectField
          label="First request"
          value={language}
          data={snippets.map((one) => one.name)}
          onChange={setLanguage}
        />
        <Code block tabIndex={0}>
          {snippet?.code}
        </Code>
        <Run
          action="Send the first request"
          run={() => askOnce(secret, model)}
          beside={<Copy text={snippet?.code ?? ""} label="Copy the request" />}
        >
          {(text) => (
            <Text size="sm">
              The answer of {model}: {text}
            </Text>
          )}
        </Run>
      </Stack>
    </SecretOnce>
  );
}
