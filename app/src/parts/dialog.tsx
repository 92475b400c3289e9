import { Button, Group, Modal, Text } from "@mantine/core";
import { createContext, type ReactNode, useContext, useLayoutEffect, useState } from "react";
import { useChange } from "../api/use-change.ts";
import { focusPlace, placeOf } from "./focus.ts";
import { Form } from "./form.tsx";
import { say } from "./said.tsx";

const CloseDialog = createContext<() => void>(() => {});

/** A place for one dialog at a time. `open` shows a dialog in it, which closes itself; another one replaces it. */
export function useDialog(): { open: (dialog: ReactNode) => void; dialog: ReactNode } {
  const [shown, open] = useState<ReactNode>(null);
  return { open, dialog: <CloseDialog value={() => open(null)}>{shown}</CloseDialog> };
}

/** Closes the dialog around it. */
export const useCloseDialog = (): (() => void) => useContext(CloseDialog);

/** A window over the screen; Escape closes it. A wide one has room for a table. */
export function Dialog({
  title,
  isWide = false,
  children,
}: {
  readonly title: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  const close = useContext(CloseDialog);
  useFocusReturn();
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={isWide ? "xl" : "md"}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {children}
    </Modal>
  );
}

/**
 * Gives the focus back to where the dialog was opened. Mantine does so only when a dialog stays mounted. A layout
 * effect passes the focus on from a dialog to the next one that replaces it.
 */
export function useFocusReturn(): void {
  useLayoutEffect(() => {
    const opener = placeOf(document.activeElement);
    return () => focusPlace(opener);
  }, []);
}

/** A form in a dialog, which closes when the change is done. It stays open and shows the error when the change fails. */
export function FormDialog<Output>({
  title,
  action,
  isDangerous = false,
  said,
  onSubmit,
  onDone,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  /** What has happened then, as a sentence. */
  readonly said?: string | undefined;
  /** Runs the change. */
  readonly onSubmit: () => Promise<Output>;
  /** Goes on with what came of the change, in place of closing. */
  readonly onDone?: (output: Output) => void;
  readonly children: ReactNode;
}) {
  const close = useContext(CloseDialog);
  const change = useChange(onSubmit, onDone);
  const onSuccess = () => {
    close();
    if (said !== undefined) say(said);
  };
  const run = () => change.mutate(undefined, onDone === undefined ? { onSuccess } : {});
  return (
    <Dialog title={title}>
      <Form
        change={{ ...change, mutate: run }}
        action={action}
        isDangerous={isDangerous}
        buttons={(submit) => (
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            {submit}
          </Group>
        )}
      >
        {children}
      </Form>
    </Dialog>
  );
}

/** Asks before something is ended or deleted; names it and says what will happen. */
export function Confirm({
  title,
  consequence,
  action,
  said,
  onConfirm,
}: {
  readonly title: string;
  readonly consequence: ReactNode;
  readonly action: string;
  /** As of FormDialog. */
  readonly said?: string | undefined;
  readonly onConfirm: () => Promise<unknown>;
}) {
  return (
    <FormDialog title={title} action={action} isDangerous said={said} onSubmit={onConfirm}>
      <Text size="sm">{consequence}</Text>
    </FormDialog>
  );
}
