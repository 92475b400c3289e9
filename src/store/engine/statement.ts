// Turns SQL texts into typed functions with named parameters. The texts are in SQLite's dialect; other engines
// translate the few differences (postgres/database/translate.ts).
import type { Query, SqlValue, Statement, StatementKind, Steps, Transaction } from "./transaction.ts";

/** The number of rows that a statement changed. */
export interface Change {
  readonly changes: number;
}

/** The number of rows that a statement inserted, and the id of the last of them; 0 if there is none. */
export interface Inserted extends Change {
  readonly id: number;
}

/** Parameters of a statement by the names in its text (`:name`). */
type Named<Values> = { readonly [Name in keyof Values]: SqlValue };

const statements: Statement[] = [];

/** All statements that the loaded modules define, by slot. */
export function definedStatements(): readonly Statement[] {
  return statements;
}

/** A statement that returns at most one row. */
export function one<Values extends Named<Values>, Row>(sql: string) {
  return define<Values, Row | undefined>("one", sql);
}

/** A statement that returns all its rows. */
export function many<Values extends Named<Values>, Row>(sql: string) {
  return define<Values, Row[]>("many", sql);
}

/** A statement that changes rows. */
export function write<Values extends Named<Values>>(sql: string) {
  return define<Values, void>("write", sql);
}

/** A statement that changes rows and counts them. */
export function change<Values extends Named<Values>>(sql: string) {
  return define<Values, Change>("change", sql);
}

/** A statement that inserts into a table with an integer `id`. */
export function insert<Values extends Named<Values>>(sql: string) {
  return define<Values, Inserted>("insert", sql);
}

/**
 * A select whose rows no other transaction may change until this one ends. An engine with a single writer does not
 * execute it. Procedures lock in a fixed order: a running response, threads, responses that have ended, idempotency keys,
 * balances, organizations, the rest, and last the audit log and the head of the events.
 */
export function lock<Values extends Named<Values>>(sql: string, { isBuffered = false } = {}) {
  return define<Values, void>("lock", sql, isBuffered);
}

function define<Values extends Named<Values>, Result>(kind: StatementKind, sql: string, isBuffered = false) {
  if (BOUND_LIMIT.test(sql)) throw new Error(`A limit that is bound is written limit +:name, not as in ${sql}.`);
  const statement: Statement = { kind, sql, slot: statements.length, isBuffered };
  statements.push(statement);
  return (tx: Transaction, parameters: Values): Steps<Result> => tx.execute(statement, parameters) as Steps<Result>;
}

/**
 * SQLite inspects a limit that is a bare parameter when it plans, so each binding would plan the statement again: ten
 * times the cost of reading a page. With a plus before it, the parameter is an expression like any other.
 */
const BOUND_LIMIT = /\blimit :/;

/** A parameter in a statement's text. */
export const PARAMETER = /(?<![:\w]):([a-zA-Z]+)/g;

const parameterNames: (readonly string[] | undefined)[] = [];

/** The values that a query binds, as text: the same for two queries of a statement that bind the same. */
export function describeParameters({ statement, parameters }: Query): string {
  const names = (parameterNames[statement.slot] ??= [...statement.sql.matchAll(PARAMETER)].map(
    ([, name = ""]) => name,
  ));
  return JSON.stringify(names.map((name) => parameters[name]));
}
