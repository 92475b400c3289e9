// Translates the store's statements from SQLite's dialect to PostgreSQL's.
import { PARAMETER } from "../../engine/statement.ts";
import type { Statement } from "../../engine/transaction.ts";

/** A statement as PostgreSQL prepares it. */
export interface Translated {
  readonly text: string;
  /** Names of the parameters in the order of their numbers. */
  readonly names: readonly string[];
}

/** Translates the statements of a store whose tables are in this schema. */
export type Translate = (statement: Pick<Statement, "kind" | "sql">) => Translated;

/** Creates the translation for the tables of a schema. */
export function createTranslate(schema: string, tables: readonly string[]): Translate {
  // The search path belongs to a session, which a pooler may give to another client: tables are named in full.
  const table = new RegExp(String.raw`\b(from|join|into|update)(\s+)(${tables.join("|")})\b`, "g");
  return ({ kind, sql }) => {
    const names: string[] = [];
    const text = sql
      .replace(NOCASE, 'lower($1) = lower($2 collate "C")')
      .replace(PARAMETER, (_, name: string) => `$${numberOf(names, name)}`)
      .replace(BOUND_LIMIT, "limit $")
      .replace(AS_BYTES, "$1")
      .replace(CAPITAL_ALIAS, 'as "$1"')
      .replace(table, `$1$2"${schema}".$3`);
    return { text: text + (SUFFIX[kind] ?? ""), names };
  };
}

/** The tables that migrations leave, in the order of the texts. */
export function listTables(migrations: readonly { readonly sql: string }[]): string[] {
  const named = (statement: RegExp) =>
    migrations.flatMap(({ sql }) => [...sql.matchAll(statement)].map(([, name = ""]) => name));
  const dropped = new Set(named(/^drop table (\w+)/gm));
  return named(/^create table (\w+)/gm).filter((name) => !dropped.has(name));
}

/** SQLite compares without regard to the case of ASCII letters, as PostgreSQL does with the collation "C". */
const NOCASE = /([\w.]+) = (:\w+) collate nocase/g;

/** The plus keeps SQLite from planning the statement again for each value. */
const BOUND_LIMIT = /\blimit \+\$/g;

/** The driver makes text of a text's bytes in any case. */
const AS_BYTES = /\bcast\(([\w.]+) as blob\)/g;

/** PostgreSQL changes an unquoted name to lower case. */
const CAPITAL_ALIAS = /\bas ([a-z]+[A-Z]\w*)\b/g;

const SUFFIX: Partial<Record<Statement["kind"], string>> = {
  insert: "\nreturning id",
  // The weakest lock that excludes itself and every change: other transactions may store rows that refer to the row.
  lock: "\nfor no key update",
};

/** The number of a parameter; the same name has the same number. */
function numberOf(names: string[], name: string): number {
  const known = names.indexOf(name);
  return known >= 0 ? known + 1 : names.push(name);
}
