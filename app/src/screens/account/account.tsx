// The person who is signed in: role, password, colours.
import { Button, PasswordInput, SegmentedControl, Stack, Text, useMantineColorScheme } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, take } from "../../api/client.ts";
import { forgetAll } from "../../api/credentials.ts";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { Time } from "../../parts/time.tsx";
import { useSession } from "../../session/session.ts";

export function Account() {
  const { role, member, token, organization, expires_at: expiresAt } = useSession();
  return (
    <Screen title="Account">
      <Text>
        Signed in as {member?.email ?? token?.name ?? "operator"}, {role}
        {organization === null ? "" : ` of ${organization.name}`}
        {expiresAt !== null && (
          <>
            {" "}
            until <Time at={expiresAt} />, or after 12 hours without use
          </>
        )}
        .
      </Text>
      <Section title="Colours">
        <Colours />
      </Section>
      {member !== null && (
        <Section title="Password">
          <ChangePassword />
        </Section>
      )}
    </Screen>
  );
}

function Colours() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div>
      <SegmentedControl
        aria-label="Colours"
        transitionDuration={0}
        value={colorScheme}
        data={[
          { value: "auto", label: "As the system" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
        onChange={(value) => setColorScheme(value)}
      />
    </div>
  );
}

function ChangePassword() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => take(api.POST("/session/password", { body: { current_password: current, new_password: next } })),
    // All sessions have ended, this one included.
    onSuccess: async () => {
      forgetAll();
      await navigate({ to: "/sign-in" });
      queryClient.clear();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw="24rem">
        <Text size="sm">
          Changing it ends all your sessions: you sign in again with the new one. Without a password yet, or if it is
          forgotten, use a new sign-in link.
        </Text>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          value={current}
          onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
        />
        <PasswordInput
          label="New password"
          description="12 characters or more"
          autoComplete="new-password"
          minLength={12}
          required
          value={next}
          onChange={({ currentTarget }) => setNext(currentTarget.value)}
        />
        {change.error !== null && <ErrorNotice error={change.error} />}
        <div>
          <Button type="submit" loading={change.isPending}>
            Change the password
          </Button>
        </div>
      </Stack>
    </form>
  );
}
