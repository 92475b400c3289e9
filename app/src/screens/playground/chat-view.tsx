// A chat of the playground: its model, and its turns.
import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Empty } from "../../parts/empty.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { type TurnActions, TurnView } from "./turn-view.tsx";
import { continuationsOf, isUnanswered, leafOf, type Turn, waitingCalls } from "./turns.ts";
import type { Chat } from "./use-chat.ts";
import { keyModelsQuery } from "./v1.ts";

export interface ChatActions extends Omit<TurnActions, "onBranch"> {
  readonly onModel: (model: string) => void;
  /** Removes the second chat. */
  readonly onRemove?: () => void;
}

export function ChatView({
  chat,
  label,
  model,
  actions,
}: {
  chat: Chat;
  /** Of the choice of the model. */
  label: string;
  /** Empty: the one that the conversation had so far. */
  model: string;
  actions: ChatActions;
}) {
  const { data: models = [] } = useQuery(keyModelsQuery);
  const { path, turns, isReading, isRunning } = chat;
  const head = path.at(-1)?.id ?? null;
  // Outputs may be sent again when the service did not take them.
  const answered = path.findLast((turn) => !isUnanswered(turn) && turn.response !== null);
  return (
    <section className="chat" aria-label={label === "Model" ? "Chat" : "Second chat"}>
      <Group align="flex-end" wrap="nowrap" gap="xs">
        <SelectField
          className="chat-model"
          label={label}
          value={model}
          data={[...(model === "" ? [{ value: "", label: "as before" }] : []), ...models.map(({ id }) => id)]}
          onChange={actions.onModel}
        />
        {actions.onRemove !== undefined && (
          <Button variant="default" disabled={isRunning} onClick={actions.onRemove}>
            Remove
          </Button>
        )}
      </Group>
      {path.length === 0 && !isReading && (
        <Empty title="No response yet">Type something and send it. Each message continues the one before.</Empty>
      )}
      {isReading && <Text role="status">Reading the transcript…</Text>}
      {path.map((turn) => (
        <TurnView
          key={turn.id}
          turn={turn}
          siblings={continuationsOf(turns, turn.parent)}
          isLast={turn.id === head}
          calls={turn.id === answered?.id ? waitingCalls(turn) : []}
          isBusy={isRunning}
          actions={{ ...actions, onBranch: (id) => actions.onShow(leafOf(turns, id)) }}
        />
      ))}
      <Continuations turns={continuationsOf(turns, head)} onChoose={actions.onShow} />
    </section>
  );
}

/** The turns that already continue this one: other branches. */
function Continuations({ turns, onChoose }: { turns: readonly Turn[]; onChoose: (id: number) => void }) {
  if (turns.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Branches from here">
      <Text size="sm">Continued by</Text>
      {turns.map((turn) => (
        <Button key={turn.id} size="xs" variant="default" onClick={() => onChoose(turn.id)}>
          response {turn.id}
        </Button>
      ))}
    </Group>
  );
}
