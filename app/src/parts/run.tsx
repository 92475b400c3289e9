import { Box, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { BusyButton } from "./busy-button.tsx";
import { ErrorNotice } from "./error-notice.tsx";

/** A button that runs something, with what came of it below: the children, or the error. */
export function Run({
  action,
  run,
  children,
}: {
  action: string;
  run: { mutate: () => void; isPending: boolean; error: unknown };
  children: ReactNode;
}) {
  return (
    <Stack gap="sm" align="flex-start">
      <BusyButton variant="default" isBusy={run.isPending} onClick={() => run.mutate()}>
        {action}
      </BusyButton>
      <Box role="status" maw="100%">
        {children}
      </Box>
      {run.error !== null && <ErrorNotice error={run.error} />}
    </Stack>
  );
}
