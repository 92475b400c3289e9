import { Button, Drawer, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import IconFilter from "@tabler/icons-react/icons/IconFilter";
import { type ReactNode, useState } from "react";

/** Below this width filters are in a sheet. */
const PHONE = "(max-width: 46em)";

/** Whether the window is as narrow as a phone. */
export const useIsPhone = (): boolean => useMediaQuery(PHONE, window.matchMedia(PHONE).matches);

/** The filters on a phone: a button that says how many are set, and a sheet that it opens. */
export function FilterSheet({
  count,
  time,
  children,
}: {
  count: number;
  /** The chosen times in words, beside the button. */
  time: string | undefined;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="filter-line">
      <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Filters{count > 0 && ` (${count})`}
      </Button>
      {time !== undefined && (
        <Text size="sm" c="dimmed">
          {time}
        </Text>
      )}
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="bottom"
        size="80%"
        title="Filters"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="sm" className="sheet">
          {children}
          <Button onClick={() => setOpen(false)}>Show</Button>
        </Stack>
      </Drawer>
    </div>
  );
}
