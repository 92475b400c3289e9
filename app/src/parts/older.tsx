import { Button } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";

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
      <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        Older {what}
      </Button>
    </div>
  );
}
