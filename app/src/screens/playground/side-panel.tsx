// What stands beside the chats: settings, conversation, branches, and the wire.
import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode, Ref } from "react";
import { Tabs } from "../../parts/tabs.tsx";
import { Branches } from "./branches.tsx";
import { ConversationChoice } from "./conversation.tsx";
import type { Turn } from "./turns.ts";
import type { Chat } from "./use-chat.ts";
import { Wire } from "./wire.tsx";

const TABS = [
  { name: "settings", title: "Settings" },
  { name: "conversation", title: "Conversation" },
  { name: "branches", title: "Branches" },
  { name: "wire", title: "Wire" },
] as const;

export type PanelTab = (typeof TABS)[number]["name"];

export function SidePanel({
  ref,
  tab,
  onTab,
  settings,
  chats,
  shown,
}: {
  ref: Ref<HTMLDivElement>;
  tab: PanelTab;
  onTab: (tab: PanelTab) => void;
  settings: ReactNode;
  /** Each with the name of its model. */
  chats: readonly { readonly chat: Chat; readonly name: string }[];
  /** The turn whose wire is shown. */
  shown: Turn | undefined;
}) {
  /** A part for each chat, below the name of its model where there are two. */
  const ofEach = (part: (chat: Chat) => ReactNode) =>
    chats.map(({ chat, name }, index) => (
      <div key={index}>
        {chats.length > 1 && (
          <Title order={2} size="h5">
            {name}
          </Title>
        )}
        {part(chat)}
      </div>
    ));
  return (
    <div ref={ref} className="playground-panel">
      <Tabs label="Beside the chat" tabs={TABS} chosen={tab} onChoose={onTab}>
        {tab === "settings" && settings}
        {tab === "conversation" && (
          <Stack>
            {ofEach((chat) => (
              <ConversationChoice id={chat.conversationId} onChange={chat.begin} />
            ))}
          </Stack>
        )}
        {tab === "branches" && (
          <Stack>
            {ofEach((chat) => (
              <Branches chat={chat} />
            ))}
          </Stack>
        )}
        {tab === "wire" &&
          (shown === undefined ? (
            <Text size="sm">What a request and its response are on the wire appears here.</Text>
          ) : (
            <Wire turn={shown} />
          ))}
      </Tabs>
    </div>
  );
}
