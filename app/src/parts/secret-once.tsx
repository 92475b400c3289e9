// A secret that nothing can show again: no slip of the hand closes its dialog.
import { Alert, Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { Copy } from "./copy.tsx";
import { useCloseDialog, useFocusReturn } from "./dialog.tsx";

/** A dialog that only its last button closes. Escape and a click beside it ask whether the secret is copied. */
export function SecretOnce({
  title,
  secret,
  noun,
  actions,
  children,
}: {
  title: string;
  secret: string;
  /** What it is called, such as "the key". */
  noun: string;
  /** Beside its last button. */
  actions?: ReactNode;
  children?: ReactNode;
}) {
  const close = useCloseDialog();
  useFocusReturn();
  const [isAsked, setAsked] = useState(false);
  const shown = useRef<HTMLElement>(null);
  const ask = () => {
    setAsked(true);
    // A click beside the dialog has taken the focus away. Not to the button: a next press of Enter would close it.
    shown.current?.focus();
  };
  return (
    <Modal opened onClose={ask} title={title} size="lg" withCloseButton={false}>
      <Stack gap="sm">
        <Alert variant="default" className="warn-notice" title="Shown this once">
          <Text size="sm">Copy {noun} now and keep it where secrets are kept. Nothing can show it again.</Text>
        </Alert>
        <Code block className="secret" ref={shown} data-testid="secret" tabIndex={0}>
          {secret}
        </Code>
        <div>
          <Copy text={secret} label={`Copy ${noun}`} />
        </div>
        {children}
        {isAsked && (
          <Text size="sm" role="alert" className="ask">
            Have you copied {noun}? Nothing can show it again. If you have, press <strong>I have copied it</strong>.
          </Text>
        )}
        <Group justify="flex-end">
          {actions}
          <Button onClick={close}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
