import { useParams } from "@tanstack/react-router";

/** The organization in the URL of a screen. */
export function useOrganizationId(): string {
  const { organizationId } = useParams({ strict: false });
  if (organizationId === undefined) throw new Error("The address has no organization.");
  return organizationId;
}
