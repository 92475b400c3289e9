// The playground: turns with a key, and their requests and events.
import "../../playground.css";
import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { BusyButton } from "../../parts/busy-button.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { KeyScreen } from "../key/key-screen.tsx";
import { type ChatActions, ChatView } from "./chat-view.tsx";
import { NO_SETTINGS, requestOf, type Settings, supportedSettings } from "./settings.ts";
import { SettingsForm } from "./settings-form.tsx";
import { type PanelTab, SidePanel } from "./side-panel.tsx";
import type { Turn } from "./turns.ts";
import { useAddress, useOpened } from "./use-places.ts";
import { type Chat, useChat } from "./use-chat.ts";
import { useCatalog } from "./use-catalog.ts";
import { type CreateBody, keyModelsQuery } from "./v1.ts";

export function Playground() {
  return (
    <KeyScreen
      title="Playground"
      about="Responses are charged to the key and count in its usage."
      other={{ name: "Usage of the key", to: "/key" }}
    >
      <Workbench />
    </KeyScreen>
  );
}

function Workbench() {
  const { places, ...opened } = useOpened();
  const [error, setError] = useState<unknown>(null);
  const catalog = useCatalog();
  const { data: models } = useQuery(keyModelsQuery);
  const [settings, setSettings] = useState<Settings>(NO_SETTINGS);
  const [input, setInput] = useState("");
  const [chosen, setChosen] = useState<PanelTab | null>(null);
  const [wireOf, setWireOf] = useState<{ isSecond: boolean; id: number } | null>(null);
  const message = useRef<HTMLTextAreaElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  const first = useChat(places[0], setError);
  const second = useChat(places[1], setError);
  const [model, setModel] = useState(opened.model);
  const [beside, setBeside] = useState(opened.beside);
  const firstModel =
    model || modelOf(first) || (first.path.length > 0 || first.isReading ? "" : (models?.[0]?.id ?? ""));
  useAddress({ place: first.place, model }, beside === null ? null : { place: second.place, model: beside });

  const chats = [
    { chat: first, model: firstModel, isSecond: false },
    ...(beside === null ? [] : [{ chat: second, model: beside, isSecond: true }]),
  ];
  const isRunning = chats.some(({ chat }) => chat.isRunning);
  const isReading = chats.some(({ chat }) => chat.isReading);
  const inCatalog = (id: string) => catalog.find((one) => one.id === id);

  const attempt = async (work: () => Promise<unknown>) => {
    setError(null);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
    }
  };
  /** Sends an input in one chat. A message is cleared once the service has it, unless another one is being typed. */
  const sendIn = async ({ chat, model: id }: (typeof chats)[number], content: CreateBody["input"]) => {
    const request = requestOf(id, supportedSettings(settings, inCatalog(id)), content);
    setWireOf(null);
    await chat.send(request, () => clear(content));
  };
  const clear = (sent: CreateBody["input"]) => setInput((typed) => (typed === sent ? "" : typed));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Enter submits the form whatever its button says.
    if (models === undefined || isRunning || isReading) return;
    setModel(firstModel);
    void attempt(() => Promise.all(chats.map((one) => sendIn(one, input))));
  };
  /** Enter and Ctrl+Enter send, Shift+Enter begins a line, Escape stops. */
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter ends the choice of a character where several presses make one.
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      event.currentTarget.form?.requestSubmit();
    } else if (event.key === "Escape" && isRunning) {
      event.preventDefault();
      void attempt(() => Promise.all(chats.map(({ chat }) => chat.stop())));
    }
  };
  /** Shows the wire, which stands below the chat on a phone. */
  const showWire = (isSecond: boolean, { id }: Turn) => {
    setWireOf({ isSecond, id });
    setChosen("wire");
    requestAnimationFrame(() => panel.current?.scrollIntoView({ block: "nearest" }));
  };
  /** After a press on a button that is gone then, the focus goes where the message is written. */
  const focusMessage = () => message.current?.focus();
  const actionsOf = (one: (typeof chats)[number]): ChatActions => ({
    onModel: one.isSecond ? setBeside : setModel,
    ...(one.isSecond && { onRemove: () => setBeside(null) }),
    onShow(id) {
      one.chat.show(id);
      focusMessage();
    },
    onStop() {
      focusMessage();
      void attempt(one.chat.stop);
    },
    onWire: (turn) => showWire(one.isSecond, turn),
    onOutputs: (outputs) => void attempt(() => sendIn(one, outputs)),
    onSendAgain: (turn) => void attempt(() => one.chat.sendAgain(turn, () => clear(turn.request.input))),
  });
  const addSecond = () => {
    second.fork(first.path);
    setBeside(models?.find(({ id }) => id !== firstModel)?.id ?? firstModel);
  };
  const beginAnew = () => {
    for (const { chat } of chats) chat.begin(null);
    focusMessage();
  };
  const wireIn = wireOf?.isSecond === true ? second : first;
  const shown = wireOf === null ? first.path.at(-1) : wireIn.turns.get(wireOf.id);
  return (
    <div className={beside === null ? "playground" : "playground playground-two"}>
      <div className="playground-chats">
        <div className="chats">
          {chats.map((one) => (
            <ChatView
              key={String(one.isSecond)}
              chat={one.chat}
              label={one.isSecond ? "Second model" : "Model"}
              model={one.model}
              actions={actionsOf(one)}
            />
          ))}
        </div>
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Textarea
              ref={message}
              label="Message"
              required
              withAsterisk={false}
              minRows={3}
              value={input}
              onChange={({ currentTarget }) => setInput(currentTarget.value)}
              onKeyDown={onKeyDown}
            />
            {error !== null && <ErrorNotice error={error} />}
            <Group>
              <BusyButton type="submit" disabled={models === undefined} isBusy={isRunning}>
                Send
              </BusyButton>
              {chats.some(({ chat }) => chat.path.length > 0) && (
                <Button variant="default" disabled={isRunning} onClick={beginAnew}>
                  Begin anew
                </Button>
              )}
              {beside === null && (
                <Button variant="default" disabled={isRunning || isReading} onClick={addSecond}>
                  Compare with a second model
                </Button>
              )}
              <Text size="xs" c="dimmed">
                Enter sends, Shift+Enter begins a line, Escape stops
              </Text>
            </Group>
          </Stack>
        </form>
      </div>
      <SidePanel
        ref={panel}
        tab={chosen ?? (shown === undefined ? "settings" : "wire")}
        onTab={setChosen}
        settings={
          <SettingsForm
            settings={settings}
            models={chats.map((one) => inCatalog(one.model))}
            onChange={(change) => setSettings((before) => ({ ...before, ...change }))}
          />
        }
        chats={chats.map((one) => ({ chat: one.chat, name: one.model }))}
        shown={shown}
      />
    </div>
  );
}

/** The model of the last response of a chat; empty: none is known. */
function modelOf({ path }: Chat): string {
  return path.findLast(({ response }) => response !== null)?.response?.model ?? "";
}
