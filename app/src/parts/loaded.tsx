import { Group, Loader, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { mayRetry } from "../api/failure.ts";
import { ErrorNotice } from "./error-notice.tsx";

/** Shows the data of a query; a loader until it arrives, the error if it fails, and `empty` in place of an empty list. */
export function Loaded<T>({
  query: { data, error, refetch },
  empty,
  children,
}: {
  query: { data: T | undefined; error: unknown; refetch: () => Promise<unknown> };
  empty?: ReactNode;
  children: (data: T) => ReactNode;
}) {
  const isEmpty = Array.isArray(data) && data.length === 0 && empty !== undefined;
  return (
    <>
      {error !== null && <ErrorNotice error={error} onRetry={mayRetry(error) ? () => void refetch() : undefined} />}
      {data === undefined && error === null && (
        <Group gap="sm" role="status">
          <Loader size="sm" aria-hidden />
          <Text size="sm">Loading…</Text>
        </Group>
      )}
      {data !== undefined && (isEmpty ? empty : children(data))}
    </>
  );
}
