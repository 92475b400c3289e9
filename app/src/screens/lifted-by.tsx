import { List, Text } from "@mantine/core";
import { mayManage } from "../session/roles.ts";
import { useSession } from "../session/session.ts";
import { WhomToAsk } from "./whom-to-ask.tsx";

/** What would let a request through, and for members whom to ask for it. */
export function LiftedBy({
  title,
  sentences,
  organizationId,
}: {
  title: string;
  sentences: readonly string[];
  organizationId: string;
}) {
  const { role } = useSession();
  return (
    <>
      <Text>{title}</Text>
      <List>
        {sentences.map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
      {!mayManage(role) && (
        <Text>
          <WhomToAsk organizationId={organizationId} forWhat="for it" />
        </Text>
      )}
    </>
  );
}
