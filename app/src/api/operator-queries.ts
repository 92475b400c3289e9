// Queries over all organizations, for the operator.
import { queryOptions } from "@tanstack/react-query";
import { api, type Spending, type SpendingPage, take } from "./client.ts";
import { reading } from "./queries.ts";

const SPENDING_PAGE = 500;

/** Where money stands in all organizations. */
export const spendingQuery = queryOptions({
  queryKey: ["spending"],
  queryFn: async () => {
    const rows: Spending[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const query = { limit: SPENDING_PAGE, ...(after === undefined ? {} : { after }) };
      // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
      const page: SpendingPage = await take(api.GET("/spending", { params: { query } }));
      rows.push(...page.data);
      after = page.next;
    }
    return rows;
  },
});

/** What an id leads to, in any organization. */
export const anyIdQuery = (id: string) => reading(["id", id], () => api.GET("/ids/{id}", { params: { path: { id } } }));
