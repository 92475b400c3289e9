// List commands that call operations of the management interface: their options are its query parameters.
import { MANAGE_QUERIES, type QueryOf } from "../../contract/manage/queries.ts";
import type { ReadRequest } from "../../flows/manage/authorized-request.ts";

type Query = keyof typeof MANAGE_QUERIES;

/** Who runs commands, as the operations of the management interface know it. */
export const OPERATOR: ReadRequest<never>["principal"] = {
  standing: { role: "operator", organizationId: null },
  session: null,
};

/** The query of an operation: each parameter is the option of its name, `failure_code` that of --failure-code; null without one. */
export function queryOf<Operation extends Query>(operation: Operation, options: object): QueryOf<Operation> {
  const given = new Map<string, unknown>(Object.entries(options));
  const values = Object.keys(MANAGE_QUERIES[operation]).map((name) => {
    const option = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return [name, given.get(option) ?? null];
  });
  // The parsers of the options have checked the values.
  return Object.fromEntries(values) as QueryOf<Operation>;
}

/** Reads as many pages as it takes to find `limit` rows: a page reads so many of them at most, and may have fewer than it found. */
export async function readPages<Before, Row>(
  query: { readonly limit: number; readonly before: Before | null },
  read: (page: { readonly limit: number; readonly before: Before | null }) => Promise<{
    readonly data: readonly Row[];
    readonly older: Before | null;
  }>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let { before } = query;
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const { data, older } = await read({ limit: query.limit - rows.length, before });
    rows.push(...data);
    before = older;
  } while (before !== null && rows.length < query.limit);
  return rows;
}
