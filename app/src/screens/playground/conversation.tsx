// A conversation of the key: its items page by page; items added and deleted.
import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { take } from "../../api/client.ts";
import { paging, WITH_KEY } from "../../api/queries.ts";
import { defined } from "../../parts/defined.ts";
import { Confirm, FormDialog, useDialog } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Pages } from "../../parts/pages.tsx";
import { Section } from "../../parts/screen.tsx";
import { ItemView } from "./item-view.tsx";
import { v1 } from "./v1.ts";

const PAGE = 20;

/** Pages of a conversation's items, newest first. */
const itemsQuery = (id: string) =>
  paging(
    [WITH_KEY, "conversation", id],
    ({ before: after }: { before?: string }) => {
      const query = { limit: PAGE, order: "desc" as const, ...defined({ after }) };
      return v1.GET("/conversations/{conversation_id}/items", { params: { path: { conversation_id: id }, query } });
    },
    ({ has_more: hasMore, last_id: lastId }) => (hasMore ? lastId : null),
  );

/** Chooses the conversation that the next turns belong to; null: none. */
export function ConversationChoice({ id, onChange }: { id: string | null; onChange: (id: string | null) => void }) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<unknown>(null);
  const attempt = async (work: () => Promise<{ id: string }>) => {
    setError(null);
    try {
      onChange((await work()).id);
    } catch (thrown) {
      setError(thrown);
    }
  };
  const start = () => take(v1.POST("/conversations", { body: {} }));
  const open = () =>
    take(v1.GET("/conversations/{conversation_id}", { params: { path: { conversation_id: typed.trim() } } }));
  if (id !== null) return <Conversation id={id} onLeave={() => onChange(null)} />;
  return (
    <Section title="Conversation">
      <Text size="sm">The first message begins one. Its transcript is there after a reload.</Text>
      <div>
        <Button variant="default" onClick={() => void attempt(start)}>
          Start a conversation
        </Button>
      </div>
      <Group align="flex-end" gap="xs" wrap="nowrap" className="request-id">
        <TextField label="Or open one by its id" value={typed} onChange={setTyped} />
        <Button variant="default" disabled={typed.trim() === ""} onClick={() => void attempt(open)}>
          Open
        </Button>
      </Group>
      {error !== null && <ErrorNotice error={error} />}
    </Section>
  );
}

function Conversation({ id, onLeave }: { id: string; onLeave: () => void }) {
  const queryClient = useQueryClient();
  const { open, dialog } = useDialog();
  const path = { conversation_id: id };
  const pages = useInfiniteQuery(itemsQuery(id));
  const { queryKey } = itemsQuery(id);
  const confirmDelete = () =>
    open(
      <Confirm
        title={`Delete the conversation ${id}?`}
        consequence="Its items are deleted with it, for good."
        action="Delete the conversation"
        onConfirm={async () => {
          await take(v1.DELETE("/conversations/{conversation_id}", { params: { path } }));
          // There is nothing to read again.
          queryClient.removeQueries({ queryKey });
          onLeave();
        }}
      />,
    );
  const confirmDeleteItem = (itemId: string) =>
    open(
      <Confirm
        title={`Delete the item ${itemId}?`}
        consequence="Later responses of the conversation no longer see it."
        action="Delete the item"
        onConfirm={() => {
          const params = { path: { ...path, item_id: itemId } };
          return take(v1.DELETE("/conversations/{conversation_id}/items/{item_id}", { params }));
        }}
      />,
    );
  return (
    <Section
      title="Conversation"
      actions={
        <>
          <Button size="xs" variant="default" onClick={() => void queryClient.invalidateQueries({ queryKey })}>
            Read again
          </Button>
          <Button size="xs" variant="default" onClick={() => open(<AddMessage id={id} />)}>
            Add a message
          </Button>
          <Button size="xs" variant="default" onClick={onLeave}>
            Leave
          </Button>
        </>
      }
    >
      <Text size="sm">
        <code className="wrap">{id}</code>
      </Text>
      <details>
        <summary>Items, newest first</summary>
        <Pages pages={pages} noun="items" empty={<Text size="sm">No item yet.</Text>}>
          {(items) => (
            <Stack gap="xs">
              {items.map((item) => (
                <div key={item.id} className="turn">
                  <Group justify="space-between">
                    <Text size="xs" c="dimmed">
                      {item.type === "message" ? item.role : item.type} <code className="wrap">{item.id}</code>
                    </Text>
                    <Button
                      size="xs"
                      variant="default"
                      className="row-danger"
                      aria-label={`Delete the item ${item.id}`}
                      onClick={() => confirmDeleteItem(item.id)}
                    >
                      Delete
                    </Button>
                  </Group>
                  <ItemView item={item} />
                </div>
              ))}
            </Stack>
          )}
        </Pages>
      </details>
      <div className="apart">
        <Button size="xs" variant="default" className="row-danger" onClick={confirmDelete}>
          Delete the conversation
        </Button>
      </div>
      {dialog}
    </Section>
  );
}

function AddMessage({ id }: { id: string }) {
  const [text, setText] = useState("");
  const add = () => {
    const body = { items: [{ type: "message" as const, role: "user" as const, content: text }] };
    const params = { path: { conversation_id: id } };
    return take(v1.POST("/conversations/{conversation_id}/items", { params, body }));
  };
  return (
    <FormDialog title="Add a user message" action="Add the message" onSubmit={add}>
      <Textarea
        label="Text"
        required
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </FormDialog>
  );
}
