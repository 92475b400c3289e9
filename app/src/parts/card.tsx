import { Paper, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** One figure with its name, and more about it below. */
export function Card({ title, figure, children }: { title: string; figure: ReactNode; children?: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <div className="figure">{figure}</div>
      <Text size="sm" component="div">
        {children}
      </Text>
    </Paper>
  );
}
