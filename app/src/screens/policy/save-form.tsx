// A form with one button, which says when it has saved.
import { Group, Stack, Text } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { BusyButton } from "../../parts/busy-button.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";

export function SaveForm({
  action,
  change,
  children,
}: {
  action: string;
  change: { mutate: (input: undefined) => void; isPending: boolean; isSuccess: boolean; error: unknown };
  children: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw="40rem">
        {children}
        {change.error !== null && <ErrorNotice error={change.error} />}
        <Group>
          <BusyButton type="submit" isBusy={change.isPending}>
            {action}
          </BusyButton>
          {change.isSuccess && <Text role="status">Saved</Text>}
        </Group>
      </Stack>
    </form>
  );
}
