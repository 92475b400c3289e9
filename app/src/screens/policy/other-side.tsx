import { Text } from "@mantine/core";
import { useSession } from "../../session/session.ts";

/** What the other side has set, which is in force too where it is tighter: for owners the operator, and the other way round. */
export function OtherSide({ rules }: { rules: string }) {
  const { role } = useSession();
  if (rules === "") return null;
  return (
    <Text size="sm">
      {role === "operator"
        ? "The organization has set for itself"
        : "The operator has set, and only the operator can loosen"}
      : {rules}.
    </Text>
  );
}
