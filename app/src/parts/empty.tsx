import { Paper, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Says that there is nothing yet, and what to do about it. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" className="empty">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </Paper>
  );
}
