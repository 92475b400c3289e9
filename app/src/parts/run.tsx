import { Box, Button, Loader, Stack } from "@mantine/core";
import type { ReactNode } from "react";
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
      {/* Busy, and not disabled: a disabled button loses the focus. */}
      <Button
        variant="default"
        aria-disabled={run.isPending}
        leftSection={run.isPending && <Loader size="xs" aria-hidden />}
        onClick={() => {
          if (!run.isPending) run.mutate();
        }}
      >
        {action}
      </Button>
      <Box role="status" maw="100%">
        {children}
      </Box>
      {run.error !== null && <ErrorNotice error={run.error} />}
    </Stack>
  );
}
