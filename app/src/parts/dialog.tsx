import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type ReactNode, useLayoutEffect } from "react";
import { BusyButton } from "./busy-button.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { useSubmit } from "./use-submit.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A window over the screen; Escape closes it. A wide one has room for a table. */
export function Dialog({ title, isWide = false, onClose, children }: DialogProps & { readonly isWide?: boolean }) {
  useFocusReturn();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={isWide ? "xl" : "md"}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {children}
    </Modal>
  );
}

/**
 * Gives the focus back to the control that opened the dialog. Mantine does so only when a dialog stays mounted. A layout
 * effect passes the focus on from a dialog to the next one that replaces it.
 */
function useFocusReturn(): void {
  useLayoutEffect(() => {
    const opener = document.activeElement;
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
}

/** A form in a dialog. It stays open and shows the error when the change fails. */
export function FormDialog({
  title,
  action,
  isDangerous = false,
  onSubmit,
  onClose,
  children,
}: DialogProps & {
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Runs the change; a rejection is shown. */
  readonly onSubmit: () => Promise<unknown>;
}) {
  const { error, isBusy, submit } = useSubmit(onSubmit);
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {children}
          {error !== null && <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <BusyButton type="submit" isBusy={isBusy} className={isDangerous ? "dangerous" : ""}>
              {action}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Asks before something is ended or deleted; names it and says what will happen. */
export function Confirm({
  title,
  consequence,
  action,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly consequence: ReactNode;
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const confirm = async () => {
    await onConfirm();
    onClose();
  };
  return (
    <FormDialog title={title} action={action} isDangerous onSubmit={confirm} onClose={onClose}>
      <Text size="sm">{consequence}</Text>
    </FormDialog>
  );
}
