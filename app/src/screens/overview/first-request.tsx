// The first request, sent from the overview with a key that the person enters.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { credentials } from "../../api/credentials.ts";
import { namedModelsQuery } from "../../api/queries.ts";
import { Run } from "../../parts/run.tsx";
import { KeyForm } from "../key/key-form.tsx";
import { useTabKey } from "../key/use-tab-key.ts";
import { askOnce } from "../keys/ask-once.ts";

export function FirstRequest({ onSent }: { onSent: () => void }) {
  const { hasKey, setHasKey } = useTabKey();
  const { data: models = [] } = useQuery(namedModelsQuery);
  const model = models[0]?.id;
  if (!hasKey) return <KeyForm onKey={() => setHasKey(true)} />;
  const send = async () => {
    const text = await askOnce(credentials.key ?? "", model ?? "");
    onSent();
    return text;
  };
  return (
    <Run action="Send the first request" isReady={model !== undefined} run={send}>
      {(text) => (
        <Text size="sm">
          The answer of {model}: {text}
        </Text>
      )}
    </Run>
  );
}
