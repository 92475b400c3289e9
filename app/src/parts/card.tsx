import { Paper, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** What has a name: a figure, and more about it below. */
export function Card({ title, figure, children }: { title: string; figure?: ReactNode; children?: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      {figure !== undefined && <div className="figure">{figure}</div>}
      <Text size="sm" component="div">
        {children}
      </Text>
    </Paper>
  );
}
