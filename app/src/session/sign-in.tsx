// Signing in: with e-mail address and password, or with a link.
import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { api, type Session, take } from "../api/client.ts";
import { credentials, forgetAll } from "../api/credentials.ts";
import { sessionQuery } from "../api/queries.ts";
import { ErrorNotice } from "../parts/error-notice.tsx";
import { TextLink } from "../parts/link.tsx";
import { useSubmit } from "../parts/use-submit.ts";

const PASSWORD_CHARACTERS_MIN = 12;

/** The secret of a sign-in link, which stands after the `#` of the address; null without one. */
function readLinkSecret(): string | null {
  const secret = window.location.hash.slice(1);
  return secret === "" ? null : secret;
}

export function SignIn() {
  const [linkSecret, setLinkSecret] = useState(readLinkSecret);
  useEffect(() => {
    document.title = "Sign in · Turngate";
    // A link pasted into an open page changes only what follows the #.
    const update = () => setLinkSecret(readLinkSecret());
    window.addEventListener("hashchange", update);
    return () => window.removeEventListener("hashchange", update);
  }, []);
  return (
    <main className="narrow">
      <Paper withBorder p="lg">
        {linkSecret === null ? <PasswordForm /> : <LinkForm key={linkSecret} secret={linkSecret} />}
      </Paper>
    </main>
  );
}

/** Starts a session in the app: drops all data of an earlier one, and opens the requested screen. */
function useEnter(): (session: Session) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { next } = useSearch({ from: "/sign-in" });
  return async (session) => {
    queryClient.clear();
    credentials.csrfToken = session.csrf_token;
    queryClient.setQueryData(sessionQuery.queryKey, session);
    await navigate({ href: next ?? "/", replace: true });
  };
}

function PasswordForm() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [organization, setOrganization] = useState("");
  const enter = useEnter();
  const signIn = async () => {
    const body = { email, password, ...(organization === "" ? {} : { organization }) };
    forgetAll();
    await enter(await take(api.POST("/session", { body })));
  };
  return (
    <Form title="Sign in" action="Sign in" onSubmit={signIn}>
      <TextInput
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
      <TextInput
        label="Organization"
        description="Only for members of several organizations: its name or id"
        value={organization}
        onChange={({ currentTarget }) => setOrganization(currentTarget.value)}
      />
      <Text size="sm">
        No password yet? An owner or admin creates a sign-in link for you, as does{" "}
        <code>turngate members sign-in-link</code>. Operators sign in with the link of{" "}
        <code>turngate operator sign-in-link</code>.
      </Text>
      <TextLink to="/key" size="sm">
        Holders of an API key see its usage
      </TextLink>
    </Form>
  );
}

function LinkForm({ secret }: { secret: string }) {
  const [password, setPassword] = useState("");
  const { as } = useSearch({ from: "/sign-in" });
  const enter = useEnter();
  const redeem = async () => {
    forgetAll();
    const body = password === "" ? { secret } : { secret, password };
    const session = await take(api.POST("/sign-in-links/redeem", { body }));
    // The link is used up: its secret leaves the address and the history.
    window.history.replaceState(null, "", "/sign-in");
    await enter(session);
  };
  return (
    <Form title="Welcome" action="Open the app" onSubmit={redeem}>
      <Text size="sm">This link signs you in, once.</Text>
      {as !== "operator" && (
        <PasswordInput
          label="Password for later sign-ins"
          description={`Optional. ${PASSWORD_CHARACTERS_MIN} characters or more. Without one, the next sign-in needs another link or the password you have.`}
          autoComplete="new-password"
          minLength={PASSWORD_CHARACTERS_MIN}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
      )}
    </Form>
  );
}

function Form({
  title,
  action,
  onSubmit,
  children,
}: {
  title: string;
  action: string;
  onSubmit: () => Promise<void>;
  children: ReactNode;
}) {
  const { error, isBusy, submit } = useSubmit(onSubmit);
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Title order={1} size="h3">
          {title}
        </Title>
        {children}
        {error !== null && <ErrorNotice error={error} />}
        <Button type="submit" loading={isBusy}>
          {action}
        </Button>
      </Stack>
    </form>
  );
}
