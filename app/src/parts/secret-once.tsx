import { Alert, Code, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Copy } from "./copy.tsx";

/** A secret that nothing can show again. */
export function SecretOnce({ secret, what, children }: { secret: string; what: string; children?: ReactNode }) {
  return (
    <Stack gap="sm">
      <Alert variant="default" className="warn-notice" title="Shown this once">
        <Text size="sm">Copy {what} now and keep it where secrets are kept. Nothing can show it again.</Text>
      </Alert>
      <Code block data-testid="secret" tabIndex={0}>
        {secret}
      </Code>
      <div>
        <Copy text={secret} label={`Copy ${what}`} />
      </div>
      {children}
    </Stack>
  );
}
