import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { BusyButton } from "./busy-button.tsx";

/** A button below a list that reads its next page, as long as there is one. */
export function Older({
  what,
  pages,
}: {
  what: string;
  pages: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
}) {
  if (!pages.hasNextPage) return null;
  return (
    <div>
      <BusyButton variant="default" isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        Older {what}
      </BusyButton>
    </div>
  );
}
