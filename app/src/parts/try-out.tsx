import { Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { BusyButton } from "./busy-button.tsx";
import { ErrorNotice } from "./error-notice.tsx";

/** The button of a form that tries on the last month what the form would set, and what came of it. */
export function TryOut<Trial>({
  run,
  isReady = true,
  children,
}: {
  run: () => Promise<Trial>;
  /** Whether the form has what the trial needs. */
  isReady?: boolean;
  children: (trial: Trial) => ReactNode;
}) {
  const { mutate, isPending, error, data } = useMutation({ mutationFn: run });
  return (
    <Stack gap="sm">
      <div>
        <BusyButton variant="default" disabled={!isReady} isBusy={isPending} onClick={() => mutate()}>
          Try it on last month
        </BusyButton>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      <div role="status">{data !== undefined && children(data)}</div>
    </Stack>
  );
}
