// The page to which the provider of single sign-on sends the browser back.
import { Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, take } from "../api/client.ts";
import { ErrorNotice } from "../parts/error-notice.tsx";
import { TextLink } from "../parts/link.tsx";
import { CALLBACK_PATH, callbackQuery } from "./callback-query.ts";
import { takeNext } from "./next-screen.ts";
import { useEnter } from "./session.ts";

export function Callback() {
  const enter = useEnter();
  const hasBegun = useRef(false);
  const finish = useMutation({
    mutationFn: () => take(api.POST("/single-sign-on/finish", { body: { query: callbackQuery } })),
    onSuccess: (session) => enter(session, takeNext()),
  });
  const { mutate } = finish;
  useEffect(() => {
    // A code is good once; React may run an effect twice.
    if (hasBegun.current) return;
    hasBegun.current = true;
    document.title = "Sign in · Turngate";
    window.history.replaceState(null, "", CALLBACK_PATH);
    mutate();
  }, [mutate]);
  return (
    <main className="narrow">
      <Paper withBorder p="lg">
        <Stack gap="md">
          <Title order={1} size="h3">
            {finish.error === null ? "Signing in" : "Not signed in"}
          </Title>
          {finish.error === null ? <Text role="status">One moment…</Text> : <ErrorNotice error={finish.error} />}
          {finish.error !== null && <TextLink to="/sign-in">Back to the sign-in page</TextLink>}
        </Stack>
      </Paper>
    </main>
  );
}
