import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { membersQuery } from "../api/queries.ts";
import { mayManage } from "../session/roles.ts";

/** More would not be read. */
const SHOWN_MAX = 3;

/** The owners and admins whom a member asks for something, each with a link that writes to them. */
export function WhomToAsk({ organizationId, forWhat }: { organizationId: string; forWhat: string }) {
  const { data: members = [] } = useQuery(membersQuery(organizationId));
  const asked = members.filter(({ role }) => mayManage(role)).slice(0, SHOWN_MAX);
  if (asked.length === 0) return `Ask an owner or admin ${forWhat}.`;
  return (
    <>
      Ask{" "}
      {asked.map(({ id: memberId, email, role }, index) => (
        <Fragment key={memberId}>
          {index > 0 && (index === asked.length - 1 ? " or " : ", ")}
          <Anchor href={`mailto:${encodeURIComponent(email)}`} underline="always" inherit>
            {email}
          </Anchor>{" "}
          ({role})
        </Fragment>
      ))}{" "}
      {forWhat}.
    </>
  );
}
