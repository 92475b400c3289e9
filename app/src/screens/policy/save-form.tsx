// A form that stays on its screen, and says when it has saved.
import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Form, type FormChange } from "../../parts/form.tsx";

export function SaveForm({
  action,
  change,
  children,
}: {
  action: string;
  change: FormChange & { readonly isSuccess: boolean };
  children: ReactNode;
}) {
  return (
    <Form
      change={change}
      action={action}
      maw="40rem"
      buttons={(submit) => (
        <Group>
          {submit}
          {change.isSuccess && <Text role="status">Saved</Text>}
        </Group>
      )}
    >
      {children}
    </Form>
  );
}
