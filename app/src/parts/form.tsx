import { Stack, type StackProps } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { BusyButton } from "./busy-button.tsx";
import { ErrorNotice } from "./error-notice.tsx";

/** A change as a form runs it. */
export interface FormChange {
  readonly mutate: (input: undefined) => void;
  readonly isPending: boolean;
  readonly error: unknown;
}

/** A form that runs a change. When the change fails, it shows the error and keeps what was entered. */
export function Form({
  change,
  action,
  isDangerous = false,
  maw,
  buttons = (submit) => submit,
  children,
}: {
  readonly change: FormChange;
  /** What the button that submits the form says. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly maw?: StackProps["maw"];
  /** The last line of the form: the button that submits it, and what stands beside it. */
  readonly buttons?: (submit: ReactNode) => ReactNode;
  readonly children: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw={maw}>
        {children}
        {change.error !== null && <ErrorNotice error={change.error} />}
        {buttons(
          <BusyButton type="submit" isBusy={change.isPending} className={isDangerous ? "dangerous" : ""}>
            {action}
          </BusyButton>,
        )}
      </Stack>
    </form>
  );
}
