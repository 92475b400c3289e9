// Signing in: with e-mail address and password, with a link, or as an operator with a token.
import { Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { api, type Session, take } from "../api/client.ts";
import { credentials, forgetAll, keepToken } from "../api/credentials.ts";
import { RequestFailure } from "../api/failure.ts";
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
  const [withToken, setWithToken] = useState(false);
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
        {linkSecret !== null ? (
          <LinkForm secret={linkSecret} />
        ) : withToken ? (
          <TokenForm onBack={() => setWithToken(false)} />
        ) : (
          <PasswordForm onToken={() => setWithToken(true)} />
        )}
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

function PasswordForm({ onToken }: { onToken: () => void }) {
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
        <code>turngate members sign-in-link</code>.
      </Text>
      <Anchor component="button" type="button" size="sm" onClick={onToken}>
        Operators sign in with a token
      </Anchor>
      <TextLink to="/key" size="sm">
        Holders of an API key see its usage
      </TextLink>
    </Form>
  );
}

function LinkForm({ secret }: { secret: string }) {
  const [password, setPassword] = useState("");
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
      <PasswordInput
        label="Password for later sign-ins"
        description={`Optional. ${PASSWORD_CHARACTERS_MIN} characters or more. Without one, the next sign-in needs another link or the password you have.`}
        autoComplete="new-password"
        minLength={PASSWORD_CHARACTERS_MIN}
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
    </Form>
  );
}

function TokenForm({ onBack }: { onBack: () => void }) {
  const [token, setToken] = useState("");
  const enter = useEnter();
  const open = async () => {
    forgetAll();
    keepToken(token.trim());
    try {
      await enter(await take(api.GET("/session")));
    } catch (error) {
      forgetAll();
      throw error instanceof RequestFailure ? error : new Error("The token has characters that no token has.");
    }
  };
  return (
    <Form title="Sign in with a token" action="Open the app" onSubmit={open}>
      <PasswordInput
        label="Token"
        description="adm_… of the operator, from `turngate tokens create --scope operator`. This tab keeps it until it is closed or you sign out."
        autoComplete="off"
        required
        value={token}
        onChange={({ currentTarget }) => setToken(currentTarget.value)}
      />
      <Anchor component="button" type="button" size="sm" onClick={onBack}>
        Sign in with a password
      </Anchor>
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
