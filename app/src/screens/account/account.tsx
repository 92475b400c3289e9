// The person who is signed in: role, colours, password, sessions.
import { PasswordInput, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, take } from "../../api/client.ts";
import { ColorScheme } from "../../parts/color-scheme.tsx";
import { Form } from "../../parts/form.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { Time } from "../../parts/time.tsx";
import { useLeave, useSession } from "../../session/session.ts";
import { OwnSessions } from "./sessions.tsx";

export function Account() {
  const { role, member, operator, organization, expires_at: expiresAt } = useSession();
  return (
    <Screen title="Account">
      <Text>
        Signed in as {member?.email ?? operator?.name}, {role}
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
        <ColorScheme />
      </Section>
      {member !== null && (
        <Section title="Password">
          <ChangePassword />
        </Section>
      )}
      <OwnSessions />
    </Screen>
  );
}

function ChangePassword() {
  const { has_password: hasPassword } = useSession();
  const leave = useLeave();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => {
      const body = { new_password: next, ...(hasPassword ? { current_password: current } : {}) };
      return take(api.POST("/session/password", { body }));
    },
    // All sessions have ended, this one included.
    onSuccess: leave,
  });
  return (
    <Form
      change={change}
      action={hasPassword ? "Change the password" : "Set the password"}
      maw="24rem"
      buttons={(submit) => <div>{submit}</div>}
    >
      <Text size="sm">
        {hasPassword
          ? "Changing it ends all your sessions: sign in again with the new one. If you forget it, ask for a sign-in link."
          : "You have none yet. Setting one ends all your sessions: sign in again with it."}
      </Text>
      {hasPassword && (
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          value={current}
          onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
        />
      )}
      <PasswordInput
        label="New password"
        description="12 characters or more"
        autoComplete="new-password"
        minLength={12}
        required
        value={next}
        onChange={({ currentTarget }) => setNext(currentTarget.value)}
      />
    </Form>
  );
}
