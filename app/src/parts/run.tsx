import { Button, Stack } from "@mantine/core";
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
      <Button variant="default" loading={run.isPending} onClick={() => run.mutate()}>
        {action}
      </Button>
      <div role="status">{children}</div>
      {run.error !== null && <ErrorNotice error={run.error} />}
    </Stack>
  );
}
