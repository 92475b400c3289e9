import { Text } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { BusyButton } from "./busy-button.tsx";
import { Loaded } from "./loaded.tsx";

/** Pages that are read one after the other to fill the first one: each reads thousands of rows. */
const PAGES_SEARCHED = 20;

type PagesOf<Row> = UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly Row[] }>>;

/** The rows of a query of pages, and a button that reads the next page, as long as there is one. */
export function Pages<Row>({
  pages,
  noun,
  empty,
  fillTo = 0,
  children,
}: {
  pages: PagesOf<Row>;
  /** What the rows are called. */
  noun: string;
  /** In place of no row. */
  empty: ReactNode;
  /** Rows that are shown at first. A page of a rare filter may have fewer, although there are older ones. */
  fillTo?: number;
  children: (rows: readonly Row[]) => ReactNode;
}) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const rows = data?.pages.flatMap((page) => page.data);
  const isSearching = useSearch(pages, (rows?.length ?? 0) < fillTo);
  return (
    <>
      <Loaded
        query={{ data: rows, error, refetch }}
        empty={isSearching ? <Text role="status">Searching older {noun}…</Text> : empty}
      >
        {children}
      </Loaded>
      {hasNextPage && !isSearching && (
        <div>
          <BusyButton variant="default" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Older {noun}
          </BusyButton>
        </div>
      )}
    </>
  );
}

/** Reads on while rows are wanted and there are older ones. Returns whether it still does. */
function useSearch({ data, isError, isFetching, hasNextPage, fetchNextPage }: PagesOf<unknown>, isWanted: boolean) {
  const isSearching = isWanted && hasNextPage && !isError && (data?.pages.length ?? 0) < PAGES_SEARCHED;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return isSearching;
}
