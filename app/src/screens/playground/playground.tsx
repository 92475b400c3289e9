// The playground: turns with a key, and their requests and events.
import "../../playground.css";
import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { modelsQuery, WITH_KEY } from "../../api/queries.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { ButtonLink } from "../../parts/link.tsx";
import { Screen } from "../../parts/screen.tsx";
import { KeyForm } from "../key/key-form.tsx";
import { useTabKey } from "../key/use-tab-key.ts";
import { beginConversation, isWhole, itemsOf } from "./branch.ts";
import { ConversationChoice } from "./conversation.tsx";
import { NO_SETTINGS, requestOf, type Settings, supportedSettings } from "./settings.ts";
import { SettingsForm } from "./settings-form.tsx";
import { TurnView } from "./turn-view.tsx";
import { readPlaygroundSearch } from "../search.ts";
import { readTranscript } from "./transcript.ts";
import { continuationsOf, conversationOf, leafOf, pathTo, type Turn, waitingCalls } from "./turns.ts";
import { useTurns } from "./use-turns.ts";
import { type CreateBody, keyModelsQuery } from "./v1.ts";
import { Wire } from "./wire.tsx";

export function Playground() {
  const { hasKey, setHasKey, forget } = useTabKey();
  return (
    <Screen
      title="Playground"
      about="Turns are charged to the key and count in its usage."
      actions={
        hasKey && (
          <>
            <ButtonLink variant="default" to="/key">
              Usage of the key
            </ButtonLink>
            <Button variant="default" onClick={forget}>
              Forget the key
            </Button>
          </>
        )
      }
    >
      {hasKey ? <Workbench /> : <KeyForm onKey={() => setHasKey(true)} />}
    </Screen>
  );
}

function Workbench() {
  const queryClient = useQueryClient();
  const { data: catalog = [] } = useQuery(modelsQuery);
  const turns = useTurns();
  const { data: models } = useQuery(keyModelsQuery);
  const [chosen, setSettings] = useState<Settings>(NO_SETTINGS);
  // The first model until another one is chosen: the first request takes one click.
  const settings = { ...chosen, model: chosen.model === "" ? (models?.[0]?.id ?? "") : chosen.model };
  const search = useSearch({ strict: false, select: readPlaygroundSearch });
  const [conversationId, setConversationId] = useState<string | null>(search.conversation ?? null);
  // The next turn continues one that another turn continues already.
  const [isBranch, setBranch] = useState(false);
  const [input, setInput] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [wireOf, setWireOf] = useState<number | null>(null);
  const path = pathTo(turns.all, turns.head);
  const isReading = useAddress({ path, conversationId, isBranch, onRead: turns.restore, onError: setError });
  const head = path.at(-1);
  const isRunning = head?.isRunning === true;
  const shown = turns.all.get(wireOf ?? turns.head ?? -1);

  /** A transcript and each of its branches is a conversation: the service gives that back after a reload. */
  const conversationOfNext = async (): Promise<string | null> => {
    if (conversationId !== null) return conversationId;
    if (path.length === 0) return beginConversation([]);
    // Outputs answer the calls of a response, which another conversation does not have.
    const isCopied = isBranch && isWhole(path) && (head === undefined || waitingCalls(head).length === 0);
    return isCopied ? beginConversation(itemsOf(path)) : null;
  };
  const send = async (content: CreateBody["input"]) => {
    setError(null);
    try {
      // A turn that got an HTTP error cannot be continued.
      const previousResponseId = path.findLast(({ response }) => response !== null)?.response?.id ?? null;
      const model = catalog.find(({ id }) => id === settings.model);
      const conversation = await conversationOfNext();
      const place = { previousResponseId, conversationId: conversation };
      const request = requestOf(supportedSettings(settings, model), content, place);
      setConversationId(conversation);
      setBranch(false);
      setInput("");
      setWireOf(null);
      await turns.run(request);
      await queryClient.invalidateQueries({ queryKey: [WITH_KEY, "conversation"] });
    } catch (thrown) {
      setError(thrown);
    }
  };
  /** Enter and Ctrl+Enter send, Shift+Enter begins a line, Escape stops. */
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter ends the choice of a character where several presses make one.
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      event.currentTarget.form?.requestSubmit();
    } else if (event.key === "Escape" && isRunning && head !== undefined) {
      event.preventDefault();
      void stop(head);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Enter submits the form whatever its button says.
    if (settings.model !== "" && !isRunning && !isReading) void send(input);
  };
  const message = useRef<HTMLTextAreaElement>(null);
  /** The next turn continues that one. The button is gone then, and the focus goes where the turn is written. */
  const choose = (id: number | null) => {
    turns.choose(id);
    message.current?.focus();
  };
  const stop = async (turn: Turn) => {
    message.current?.focus();
    try {
      await turns.stop(turn);
    } catch (thrown) {
      setError(thrown);
    }
  };
  /** Shows the path to a turn. If others continue it, the next one begins a branch, which leaves the conversation. */
  const show = (id: number) => {
    const isLeaf = continuationsOf(turns.all, id).length === 0;
    setConversationId(isLeaf ? conversationOf(turns.all.get(id)) : null);
    setBranch(!isLeaf);
    choose(id);
  };
  const beginAnew = () => {
    setConversationId(null);
    setBranch(false);
    choose(null);
  };
  const changePlace = (id: string | null) => {
    setConversationId(id);
    setBranch(false);
    turns.choose(null);
  };
  return (
    <div className="playground">
      <Stack gap="md">
        {path.length === 0 && !isReading && (
          <Empty title="No turn yet">Type something and send it. Each turn continues the one before.</Empty>
        )}
        {isReading && <Text role="status">Reading the transcript…</Text>}
        {path.map((turn) => (
          <TurnView
            key={turn.id}
            turn={turn}
            siblings={continuationsOf(turns.all, turn.parent)}
            isLast={turn.id === turns.head}
            actions={{
              onStop: (stopped) => void stop(stopped),
              onContinue: ({ id }) => show(id),
              onBranch: (id) => show(leafOf(turns.all, id)),
              onWire: ({ id }) => setWireOf(id),
              onOutputs: (outputs) => void send(outputs),
            }}
          />
        ))}
        <Continuations turns={continuationsOf(turns.all, turns.head)} onChoose={show} />
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Textarea
              ref={message}
              label="Message"
              required
              minRows={3}
              value={input}
              onChange={({ currentTarget }) => setInput(currentTarget.value)}
              onKeyDown={onKeyDown}
            />
            {error !== null && <ErrorNotice error={error} />}
            <Group>
              <BusyButton type="submit" disabled={settings.model === ""} isBusy={isRunning}>
                Send
              </BusyButton>
              {turns.head !== null && (
                <Button variant="default" disabled={isRunning} onClick={() => beginAnew()}>
                  Begin anew
                </Button>
              )}
              <Text size="xs" c="dimmed">
                Enter sends, Shift+Enter begins a line, Escape stops
              </Text>
            </Group>
          </Stack>
        </form>
      </Stack>
      <Stack gap="md">
        <SettingsForm settings={settings} onChange={(change) => setSettings((before) => ({ ...before, ...change }))} />
        <ConversationChoice id={conversationId} onChange={changePlace} />
        {shown !== undefined && <Wire turn={shown} />}
      </Stack>
    </div>
  );
}

/**
 * Keeps the place of the transcript in the address, and reads the transcript back from the service when the address has
 * one at first. Returns whether it is being read.
 */
function useAddress({
  path,
  conversationId,
  isBranch,
  onRead,
  onError,
}: {
  path: readonly Turn[];
  conversationId: string | null;
  /** A branch that has no turn yet has no place: that of the transcript stays. */
  isBranch: boolean;
  onRead: (turns: readonly Turn[]) => void;
  onError: (error: unknown) => void;
}): boolean {
  const search = useSearch({ strict: false, select: readPlaygroundSearch });
  const navigate = useNavigate();
  const first = useRef(search);
  const [isReading, setReading] = useState(Object.keys(search).length > 0);
  const handlers = useRef({ onRead, onError });
  handlers.current = { onRead, onError };
  useEffect(() => {
    if (Object.keys(first.current).length === 0) return;
    const read = async () => {
      try {
        handlers.current.onRead(await readTranscript(first.current));
      } catch (error) {
        handlers.current.onError(error);
      }
      setReading(false);
    };
    void read();
  }, []);
  const response = path.findLast((turn) => turn.response !== null)?.response?.id;
  useEffect(() => {
    if (isReading || isBranch) return;
    const place =
      conversationId === null ? { ...(response !== undefined && { response }) } : { conversation: conversationId };
    void navigate({ to: "/playground", search: place, replace: true });
  }, [isReading, isBranch, conversationId, response, navigate]);
  return isReading;
}

/** The turns that already continue this one: other branches. */
function Continuations({ turns, onChoose }: { turns: readonly Turn[]; onChoose: (id: number) => void }) {
  if (turns.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Branches from here">
      <Text size="sm">Continued by</Text>
      {turns.map((turn) => (
        <Button key={turn.id} size="xs" variant="default" onClick={() => onChoose(turn.id)}>
          turn {turn.id}
        </Button>
      ))}
    </Group>
  );
}
