// The first page of a log of which a filter may leave little.
import { useEffect } from "react";

/** Pages that are read one after the other to fill the first one: each reads thousands of rows. */
const PAGES_SEARCHED = 20;

/**
 * Reads on until a log shows a whole page, as long as there are older rows: a page of a rare filter may be short
 * although there are. Returns whether it still reads on.
 */
export function useFirstPage(
  log: {
    readonly data: { readonly pages: readonly { readonly data: readonly unknown[] }[] } | undefined;
    readonly isError: boolean;
    readonly hasNextPage: boolean;
    readonly isFetching: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  },
  size: number,
): boolean {
  const { data, isError, hasNextPage, isFetching, fetchNextPage } = log;
  const pages = data?.pages ?? [];
  const count = pages.reduce((sum, page) => sum + page.data.length, 0);
  const isSearching = hasNextPage && !isError && count < size && pages.length < PAGES_SEARCHED;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return isSearching;
}
