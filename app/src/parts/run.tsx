import { Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { BusyButton } from "./busy-button.tsx";
import { ErrorNotice } from "./error-notice.tsx";

/** A button that runs something, and below it what came of it, or the error. */
export function Run<Result>({
  action,
  run,
  isReady = true,
  whileRunning,
  beside,
  children,
}: {
  action: string;
  run: () => Promise<Result>;
  /** Whether there is what it needs. */
  isReady?: boolean;
  whileRunning?: ReactNode;
  /** Another button before it. */
  beside?: ReactNode;
  children: (result: Result) => ReactNode;
}) {
  const { mutate, isPending, error, data } = useMutation({ mutationFn: run });
  return (
    <Stack gap="sm">
      <Group gap="xs">
        {beside}
        <BusyButton size="xs" variant="default" disabled={!isReady} isBusy={isPending} onClick={() => mutate()}>
          {action}
        </BusyButton>
      </Group>
      {error !== null && <ErrorNotice error={error} />}
      <div role="status">
        {isPending && whileRunning}
        {data !== undefined && children(data)}
      </div>
    </Stack>
  );
}
