import { Group, Loader, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { ErrorNotice } from "./error-notice.tsx";

/** Shows the data of a query; a loader until it arrives, and the error if it fails. */
export function Loaded<T>({
  query,
  children,
}: {
  query: { data: T | undefined; error: unknown; refetch: () => Promise<unknown> };
  children: (data: T) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data !== undefined) {
    return (
      <>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {children(data)}
      </>
    );
  }
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Group gap="sm" role="status">
      <Loader size="sm" aria-hidden />
      <Text size="sm">Loading…</Text>
    </Group>
  );
}
