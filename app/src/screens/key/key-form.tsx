// Asks for an API key, which stays in the tab.
import { Button, Paper, PasswordInput, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { keepKey } from "../../api/credentials.ts";

export function KeyForm({ onKey }: { onKey: () => void }) {
  const [key, setKey] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keepKey(key.trim());
    onKey();
  };
  return (
    <Paper withBorder p="md" maw="34rem">
      <form onSubmit={submit}>
        <Stack gap="md">
          <PasswordInput
            label="API key"
            description="sk_… It stays in this tab until the tab is closed, you sign out, or you have it forgotten. It is sent to this service only: for responses, and for the usage of the key."
            autoComplete="off"
            required
            pattern="\s*sk_[0-9A-Za-z]+\s*"
            title="A key begins with sk_"
            value={key}
            onChange={({ currentTarget }) => setKey(currentTarget.value)}
          />
          <div>
            <Button type="submit">Use the key</Button>
          </div>
        </Stack>
      </form>
    </Paper>
  );
}
