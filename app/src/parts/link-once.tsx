import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { SecretOnce } from "./secret-once.tsx";
import { Time } from "./time.tsx";

/** A sign-in link, which is shown once; the children say what it opens. */
export function LinkOnce({
  link,
  person,
  children,
}: {
  link: { readonly url: string; readonly expires_at: number };
  person: string;
  children: ReactNode;
}) {
  return (
    <SecretOnce title={`Sign-in link for ${person}`} secret={link.url} noun="the link">
      <Text size="sm">
        It works once, until <Time at={link.expires_at} />. {children}
      </Text>
    </SecretOnce>
  );
}
