import { Button, CopyButton, UnstyledButton } from "@mantine/core";
import IconCheck from "@tabler/icons-react/icons/IconCheck";
import IconCopy from "@tabler/icons-react/icons/IconCopy";

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

/** The same as a small picture beside the text. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <UnstyledButton className="copy-icon" aria-label={copied ? "Copied" : label} onClick={copy}>
          {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
        </UnstyledButton>
      )}
    </CopyButton>
  );
}
