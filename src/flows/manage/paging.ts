// Lists that are paged by ids.

/** A page of rows of which one more than `limit` was read, to know whether there are more. */
export function presentPage<Row, Shown>(rows: readonly Row[], limit: number, present: (row: Row) => Shown) {
  return { data: rows.slice(0, limit).map((row) => present(row)), has_more: rows.length > limit };
}
