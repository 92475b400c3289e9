import { formatCount } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import type { TurnsSearch } from "./search.ts";

/** A number that leads to the turns behind it; by itself when it is none. */
export function TurnsLink({
  organizationId,
  search,
  subject,
  count,
  format = formatCount,
}: {
  organizationId: string;
  search: TurnsSearch;
  subject: string;
  count: number;
  format?: (count: number) => string;
}) {
  const text = format(count);
  if (count === 0) return text;
  return (
    <TextLink
      to="/organizations/$organizationId/turns"
      params={{ organizationId }}
      search={search}
      aria-label={`${text}, the responses of ${subject}`}
    >
      {text}
    </TextLink>
  );
}
