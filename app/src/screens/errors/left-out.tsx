import { Text } from "@mantine/core";
import { formatCount } from "../../parts/format.ts";

/** How many rejected requests of a key were not kept since the one before; nothing for none. */
export function LeftOut({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      Before it, {count === 1 ? "one more rejected request" : `${formatCount(count)} more rejected requests`} of the key{" "}
      {count === 1 ? "was" : "were"} left out.
    </Text>
  );
}
