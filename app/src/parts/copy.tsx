import { Button, CopyButton } from "@mantine/core";

/** Copies a text and says so. */
export function Copy({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy}>
          {copied ? "Copied" : label}
        </Button>
      )}
    </CopyButton>
  );
}
