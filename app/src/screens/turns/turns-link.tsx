import { formatCount } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import type { TurnsSearch } from "./search.ts";

/** A number of turns that leads to them. */
export function TurnsLink({ id, search, of, count }: { id: string; search: TurnsSearch; of: string; count: number }) {
  const text = formatCount(count);
  if (count === 0) return text;
  return (
    <TextLink
      to="/organizations/$organizationId/turns"
      params={{ organizationId: id }}
      search={search}
      aria-label={`${text}, the turns of ${of}`}
    >
      {text}
    </TextLink>
  );
}
