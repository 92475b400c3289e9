// Signing in: at the provider of single sign-on, with e-mail address and password, or with a link.
import { Divider, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { api, type SignInWays, take } from "../api/client.ts";
import { forgetAll } from "../api/credentials.ts";
import { RequestFailure } from "../api/failure.ts";
import { signInQuery } from "../api/queries.ts";
import { BusyButton } from "../parts/busy-button.tsx";
import { ErrorNotice } from "../parts/error-notice.tsx";
import { TextField } from "../parts/fields.tsx";
import { Form } from "../parts/form.tsx";
import { TextLink } from "../parts/link.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { keepNext } from "./next-screen.ts";
import { useEnter } from "./session.ts";

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
  // Nothing is shown before the ways are known: a form that moves is easily clicked in the wrong place.
  const ways = useQuery(signInQuery);
  return (
    <main className="narrow">
      <Paper withBorder p="lg">
        <Loaded query={ways}>
          {(data) =>
            linkSecret === null ? (
              <Ways ways={data} />
            ) : (
              <LinkForm
                key={linkSecret}
                secret={linkSecret}
                hasPasswords={data.passwords}
                onLeave={() => setLinkSecret(null)}
              />
            )
          }
        </Loaded>
      </Paper>
    </main>
  );
}

function Ways({ ways: { passwords, single_sign_on: provider } }: { ways: SignInWays }) {
  const [organization, setOrganization] = useState("");
  const field = (
    <TextField
      label="Organization"
      description="Only for members of several organizations: its name or id"
      value={organization}
      onChange={setOrganization}
    />
  );
  return (
    <Stack gap="md">
      <Title order={1} size="h3">
        Sign in
      </Title>
      {provider !== null && <SingleSignOn name={provider.name} organization={organization} />}
      {provider !== null && passwords && <Divider label="or with a password" />}
      {passwords ? <PasswordForm organization={organization}>{field}</PasswordForm> : field}
      <Text size="sm">
        {passwords && (
          <>
            No password yet? An owner or admin creates a sign-in link for you, as does{" "}
            <code>turngate members sign-in-link</code>.{" "}
          </>
        )}
        Operators sign in with the link of <code>turngate operator sign-in-link</code>.
      </Text>
      <TextLink to="/key" size="sm">
        Holders of an API key see its usage
      </TextLink>
    </Stack>
  );
}

/** Goes to the provider's page, which sends the browser back to that of callback.tsx. */
function SingleSignOn({ name, organization }: { name: string; organization: string }) {
  const { next } = useSearch({ from: "/sign-in" });
  const begin = useMutation({
    mutationFn: () => take(api.POST("/single-sign-on", { body: organization === "" ? {} : { organization } })),
    onSuccess: ({ url }) => {
      forgetAll();
      keepNext(next);
      window.location.assign(url);
    },
  });
  return (
    <>
      {begin.error !== null && <ErrorNotice error={begin.error} />}
      <BusyButton isBusy={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
        Sign in with {name}
      </BusyButton>
    </>
  );
}

function PasswordForm({ organization, children }: { organization: string; children: ReactNode }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const { next } = useSearch({ from: "/sign-in" });
  const enter = useEnter();
  const signIn = useMutation({
    mutationFn: async () => {
      const body = { email, password, ...(organization === "" ? {} : { organization }) };
      forgetAll();
      await enter(await take(api.POST("/session", { body })), next);
    },
  });
  return (
    <Form action="Sign in" change={signIn}>
      <TextField
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={setEmail}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
      {children}
    </Form>
  );
}

/** In place of a link that was used, or is too old: the way on. */
function UsedLink({ isOperator, onLeave }: { isOperator: boolean; onLeave: () => void }) {
  return (
    <Stack gap="md">
      <Title order={1} size="h3">
        This link does not work any more
      </Title>
      <Text size="sm" role="alert">
        It was used, or it is too old.{" "}
        {isOperator ? (
          <>
            <code>turngate operator sign-in-link</code> makes a new one, as do other operators in <em>Service</em>.
          </>
        ) : (
          <>
            An owner or admin makes a new one in <em>Members</em>, as does <code>turngate members sign-in-link</code>.
          </>
        )}
      </Text>
      <TextLink to="/sign-in" hash="" size="sm" onClick={onLeave}>
        Go to the sign-in page
      </TextLink>
    </Stack>
  );
}

function LinkForm({
  secret,
  hasPasswords,
  onLeave,
}: {
  secret: string;
  hasPasswords: boolean;
  /** Goes on without the link. */
  onLeave: () => void;
}) {
  const [password, setPassword] = useState("");
  const { as, next } = useSearch({ from: "/sign-in" });
  const enter = useEnter();
  const redeem = useMutation({
    mutationFn: async () => {
      forgetAll();
      const body = password === "" ? { secret } : { secret, password };
      const session = await take(api.POST("/sign-in-links/redeem", { body }));
      // The link is used up: its secret leaves the address and the history.
      window.history.replaceState(null, "", "/sign-in");
      await enter(session, next);
    },
  });
  if (redeem.error instanceof RequestFailure && redeem.error.param === "secret") {
    return <UsedLink isOperator={as === "operator"} onLeave={onLeave} />;
  }
  return (
    <Form action="Open the app" change={redeem}>
      <Title order={1} size="h3">
        Welcome
      </Title>
      <Text size="sm">This link signs you in, once.</Text>
      {hasPasswords && as !== "operator" && (
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
