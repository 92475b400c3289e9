// A screen that works with the API key of the tab, and asks for one first.
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { ButtonLink } from "../../parts/link.tsx";
import { Screen } from "../../parts/screen.tsx";
import { KeyForm } from "./key-form.tsx";
import { useTabKey } from "./use-tab-key.ts";

export function KeyScreen({
  title,
  about,
  other,
  children,
}: {
  title: string;
  about: string;
  /** The other screen that works with the key. */
  other: { readonly name: string; readonly to: "/playground" | "/key" };
  children: ReactNode;
}) {
  const { hasKey, setHasKey, forget } = useTabKey();
  return (
    <Screen
      title={title}
      about={about}
      actions={
        hasKey && (
          <>
            <ButtonLink variant="default" to={other.to}>
              {other.name}
            </ButtonLink>
            <Button variant="default" onClick={forget}>
              Forget the key
            </Button>
          </>
        )
      }
    >
      {hasKey ? children : <KeyForm onKey={() => setHasKey(true)} />}
    </Screen>
  );
}
